"""The soak: a contest of many short games, to find anything that grows.

Only the journal may grow. Processes are measured repeatedly; the last tenth of the games is
compared with games after about a tenth.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from math import ceil, inf
from pathlib import Path
from statistics import median
from time import monotonic

from rich.console import Console

from arena.common.errors import InputError
from arena.common.system import available_cores
from arena.contest.folder import JOURNAL
from arena.contest.run import Run
from arena.game.bot_process import SCRATCHES
from arena.machine.proc import TICK_NS, children_of, stat
from arena.playing.lanes import Lanes
from arena.report.screen.progress import Progress
from arena_lab.bench.contests import field

BOTS = 8
LOOK_SECONDS = 0.1  # Between two measurements.
TOLERANCE = 0.05  # Share by which a figure may become worse.

# Allowed size of the write-ahead log. It restarts every 4 MB; each batch adds to that.
SMALL_LOG_MB = 16.0
PAGE = os.sysconf("SC_PAGE_SIZE")
CPU = slice(11, 15)  # Fields of /proc/PID/stat after the name: CPU ticks, own and of children.


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceUse:
    """Medians or rates in one tenth of the games; memory in millions of bytes."""

    main_mb: float
    lanes_mb: float
    zygotes_mb: float

    descriptors: float
    """Open files of these processes, as far as visible."""

    processes: float
    """Number of processes, bots included."""

    scratches: float
    """Number of folders in which bots may write."""

    wal_mb: float

    cpu_us: float
    """CPU time of all processes per game."""

    games_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Soak:
    """The table of `arena lab bench --soak`."""

    games: int
    after: ResourceUse
    end: ResourceUse

    @property
    def ratios(self) -> dict[str, float]:
        """By figure: its value at the end ÷ its value after a tenth of the games."""
        before, now = asdict(self.after), asdict(self.end)
        return {name: _ratio(before[name], now[name]) for name in now}

    @property
    def worse(self) -> list[str]:
        """Names of figures that became worse by more than TOLERANCE."""
        ratios = self.ratios
        ratios["games_per_s"] = 1 / ratios["games_per_s"]
        if self.end.wal_mb < SMALL_LOG_MB:
            del ratios["wal_mb"]
        return [name for name, ratio in ratios.items() if ratio > 1 + TOLERANCE]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    games: int
    seconds: float
    cpu_ns: int
    levels: Mapping[str, float]  # Values by field of ResourceUse.


def soak(games: int, console: Console) -> Soak:
    """Play at least `games` games of random bots on all cores, showing progress."""
    cores, openings = available_cores(), ceil(games / (BOTS * (BOTS - 1)))
    with (
        field(BOTS, openings) as entered,
        entered.session.executing(Lanes(cores)) as lanes,
        closing(entered.session.folder.journal()) as journal,
    ):
        contest, scheduled = entered.session.contest, entered.games
        run = Run(scheduled, journal, lanes)
        with Progress(contest, scheduled, (), {}, console, lanes=len(cores)) as progress:
            log = entered.session.folder.path / f"{JOURNAL}-wal"
            after, end = _windows(_looks(run, progress, log), len(scheduled))
    return Soak(games=len(scheduled), after=_resource_use(after), end=_resource_use(end))


def _windows(looks: Iterable[_Look], total: int) -> tuple[list[_Look], list[_Look]]:
    """Return (measurements after about a tenth of the games, those of the last tenth).

    Keeping others would make this process grow.
    """
    after: list[_Look] = []
    end: list[_Look] = []
    for look in looks:
        if 0.05 <= look.games / total <= 0.15:
            after.append(look)
        elif look.games / total >= 0.9:
            end.append(look)
    return after, end


def _looks(run: Run, progress: Progress, log: Path) -> Iterator[_Look]:
    played, started, next_look = 0, monotonic(), 0.0
    for records in run:
        played += len(records)
        progress.update(records, run.retired, run.running())
        if monotonic() >= next_look:
            next_look = monotonic() + LOOK_SECONDS
            yield _look(played, monotonic() - started, log)


def _look(games: int, seconds: float, log: Path) -> _Look:
    main = [os.getpid()]
    lanes = _children(main)
    zygotes = _children(lanes)
    bots = _children(zygotes)
    everyone = [*main, *lanes, *zygotes, *bots]
    while bots := _children(bots):
        everyone += bots
    opened = [file for pid in (*main, *lanes, *zygotes) for file in _opened(pid)]
    folders = {file for file in opened if file.name.startswith(SCRATCHES)}
    return _Look(
        games=games,
        seconds=seconds,
        cpu_ns=sum(map(_cpu_ns, everyone)),
        levels={
            "main_mb": _resident_mb(main),
            "lanes_mb": _resident_mb(lanes),
            "zygotes_mb": _resident_mb(zygotes),
            "descriptors": len(opened),
            "processes": len(everyone),
            "scratches": sum(map(_entries, folders)),
            "wal_mb": (log.stat().st_size if log.exists() else 0) / 1e6,
        },
    )


def _resource_use(looks: Sequence[_Look]) -> ResourceUse:
    if len(looks) < 2:
        raise InputError("too few games to compare: use more, as in arena lab bench --soak 100000")
    first, last = looks[0], looks[-1]
    games = last.games - first.games
    return ResourceUse(
        **{name: median(look.levels[name] for look in looks) for name in first.levels},
        cpu_us=(last.cpu_ns - first.cpu_ns) / games / 1e3,
        games_per_s=games / (last.seconds - first.seconds),
    )


def _ratio(before: float, now: float) -> float:
    return now / before if before else inf if now else 1.0


def _children(pids: Sequence[int]) -> list[int]:
    return [child for pid in pids for child in children_of(pid)]


def _opened(pid: int) -> list[Path]:
    opened: list[Path] = []
    with suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                opened.append(Path(os.readlink(entry.path)))
    return opened


def _entries(folder: Path) -> int:
    with suppress(OSError):
        return len(list(folder.iterdir()))
    return 0


def _resident_mb(pids: Sequence[int]) -> float:
    pages = 0
    for pid in pids:
        with suppress(OSError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * PAGE / 1e6


def _cpu_ns(pid: int) -> int:
    with suppress(OSError):
        return sum(map(int, stat(pid)[CPU])) * TICK_NS
    return 0
