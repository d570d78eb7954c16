"""Arena from Python, for notebooks and scripts: contests without the command line."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from operator import index
from pathlib import Path
from typing import Any, get_type_hints

import pandas as pd
from rich.console import Console

from arena.common.errors import InputError
from arena.common.home import home_mode
from arena.common.plain import plain_value
from arena.contest.session import Session
from arena.courses.roster import find_submission
from arena.engine.machine_code import Piece, begin_compiling, compile_engine
from arena.game.limits import Limits
from arena.game.play import play as referee_play
from arena.game.record import GameKey, GameRecord
from arena.game.seats import Seats
from arena.game.starter import new_starter, require_confinement
from arena.playing.batches import open_lanes, plan_lanes
from arena.playing.driver import LaneExecutor
from arena.report.files import write_results
from arena.report.screen.progress import Progress
from arena.rules import Ruleset
from arena.settings.contest import (
    PRESETS,
    Contest,
    Schedule,
    shared_openings_of,
    with_preset,
    with_rule,
)


def play(
    paths: Sequence[str | Path], wanted: Contest, opening: Sequence[int], *, one_bot: bool
) -> GameRecord:
    """Play one game between two bots, each a path or a name; see `arena.play`."""
    require_confinement()
    one, other = (find_submission(str(path), one_bot=one_bot) for path in paths)
    bots = (replace(one, name="first"), replace(other, name="second"))
    try:
        columns = tuple(map(index, opening))
    except TypeError:
        raise InputError(f"opening = {opening!r}: expected columns, like [3, 3]") from None
    with Session.throwaway(wanted, bots) as session:
        _compile_engine(session.contest.engine)
        session.require_boards()
        seated = session.bots
        key = GameKey(
            rules=session.contest.rules,
            limits=session.contest.limits,
            opening=columns,
            first=seated["first"],
            second=seated["second"],
            seed=session.contest.schedule.seed,
        )
        with closing(new_starter()) as starter, Seats(starter, key.limits) as seats:
            return referee_play(key, *seats.at(key.first, key.second))


def run_contest(
    paths: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    preset: str | None = None,
    rules: Ruleset | None = None,
    limits: Limits | None = None,
    openings: int | None = None,
    shared_openings: int | str | None = None,
    seed: int | None = None,
    format: str | None = None,
    retire_after: int | None = None,
    until_settled: float | None = None,
    until: datetime | None = None,
    with_unloadable: bool | None = None,
    grade: str | None = None,
    house: bool = True,
    lanes: int | None = None,
    one_bot: bool = False,
    progress: bool = True,
    home: bool = False,
) -> pd.DataFrame:
    """Play the missing games of a contest and return the leaderboard, best first.

    `paths` are bots, or folders of bots; `out` is the contest's folder. The other arguments are the
    options of `arena run`; None keeps the folder's setting, or the default. After an interruption,
    the same call continues the contest. Bots that cannot play on this board do not take part, nor,
    without `with_unloadable`, bots that cannot be loaded. `progress` is shown on stderr, or in a
    notebook. The frame has the columns of leaderboard.csv; the folder's files are written too.
    Raises InputError and MachineError.

    >>> from tempfile import TemporaryDirectory
    >>> from arena import run_contest
    >>> with TemporaryDirectory() as folder:
    ...     board = run_contest(["random", "quartets"], folder, openings=1, seed=1, house=False)
    >>> board["bot"].tolist(), board["games"].tolist()
    (['quartets', 'random'], [2, 2])
    """
    given = [paths] if isinstance(paths, str | Path) else paths
    if not given or not all(isinstance(each, str | Path) and each for each in (*given, out)):
        raise InputError(
            "paths and out: expected files or folders; only play, ask and check take functions"
        )
    schedule: dict[str, Any] = {"format": format, "openings": openings, "seed": seed}
    schedule |= {"retire_after": retire_after, "until_settled": until_settled, "until": until}
    schedule["with_unloadable"] = with_unloadable
    schedule["shared_openings"] = shared_openings_of(shared_openings)
    with home_mode(wanted=home):
        if warning := require_confinement():
            _say(warning)
        session = Session.enter(
            Path(out),
            list(map(Path, given)),
            lambda base: with_rule(configured(base, preset, rules, limits, schedule), grade),
            house=house,
            one_bot=one_bot,
        )
        return _played(session, lanes, progress)


def _played(session: Session, lanes: int | None, progress: bool) -> pd.DataFrame:
    cores, remarks = plan_lanes(lanes, session.contest.limits)
    for remark in (*session.remarks, *remarks):
        _say(remark)
    session.folder.create()
    with session.continuable(), session.folder.locked():
        session.snapshot()
        _play_missing(session, cores, progress)
        settled, _, analyses = session.settle()
        return write_results(session.folder.path, session.contest, settled, analyses)


def _play_missing(session: Session, cores: Sequence[int], progress: bool) -> None:
    _compile_engine((Piece.SEARCH,) * session.contest.draws_openings)
    begin_compiling(session.contest.engine, soon=True)
    console = Console(file=sys.stderr, quiet=not progress, highlight=False)
    with session.executing(open_lanes(cores), _Warnings(logging.WARNING)) as executor:
        _refuse(session, executor)
        with (
            session.run(executor) as run,
            Progress.of(session, run, console, executor.lanes) as shown,
        ):
            for records in run:
                shown.update(records, run.retired, run.running())
            shown.update([], run.retired, [])
        for line in run.not_played():
            _say(f"{line}; see {session.folder.log}")


def _compile_engine(pieces: Iterable[Piece]) -> None:
    for line in compile_engine(pieces):
        _say(line)


def _refuse(session: Session, executor: LaneExecutor) -> None:
    try:
        for _ in session.refuse(executor):
            pass
    finally:
        for name, why in session.contest.left_out.items():
            _say(f"{name} does not take part: it {why}")


def configured(
    base: Contest,
    preset: str | None,
    rules: Ruleset | None,
    limits: Limits | None,
    schedule: dict[str, Any],
) -> Contest:
    """Return the contest with these settings in place of its own. Raises InputError."""
    for name, value, kind in (("rules", rules, Ruleset), ("limits", limits, Limits)):
        if value is not None and not isinstance(value, kind):
            raise InputError(f"{name} = {value!r}: expected an arena.{kind.__name__}")
    if not isinstance(preset, str | None):
        raise InputError(f"preset: expected a name, one of {', '.join(PRESETS)}")
    if preset is not None:
        base = with_preset(preset, base)
    given = {name: value for name, value in schedule.items() if value is not None}
    hints = get_type_hints(Schedule)
    try:
        plan = {name: plain_value(name, value, hints[name]) for name, value in given.items()}
        if rules is not None and rules.connect != Ruleset().connect:
            rules.require_line()
        return replace(
            base,
            rules=rules or base.rules,
            limits=limits or base.limits,
            schedule=replace(base.schedule, **plan),
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class _Warnings(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        _say(record.getMessage())
