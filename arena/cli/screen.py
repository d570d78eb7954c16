"""Consoles, progress, and files with games."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ContextDecorator, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.text import Text

from arena.analysis.analysis import analyse
from arena.analysis.worth import Appraiser
from arena.cli.files import write_text
from arena.common.errors import InputError
from arena.common.text import listed, rough_duration
from arena.engine.machine_code import Piece, compile_engine
from arena.game.limits import Limits
from arena.rules import Ruleset

if TYPE_CHECKING:
    from arena.report.game_file import BotTerms
    from arena.report.replay import ShownGame

WIDE = 100  # Columns of tables and of lines below them without a terminal.
LINE_SECONDS = 5.0  # Seconds between two lines of progress without a terminal.
SHOW_SECONDS = 0.2  # Seconds between two changes of a line on a terminal.
AT_FIRST = "the time left is known after the first result"  # Shown before there is a result.
COLUMNS = "COLUMNS"  # Environment variable that overrides the width, as in Rich.
MOST_TYPED = 10_000  # Longest line that is read, in characters.
T = TypeVar("T")


class _Screen(Console):
    """Wraps text between words; in a file or pipe, long words and remarks stay whole."""

    def __init__(self, *, stderr: bool, whole_lines: bool = False, **how: Any) -> None:
        super().__init__(stderr=stderr, highlight=False, **how)
        self._whole_lines = stderr or whole_lines

    def print(self, *objects: Any, **how: Any) -> None:
        if not self.is_terminal and all(isinstance(each, str | Text) for each in objects):
            if self._whole_lines:
                how.setdefault("soft_wrap", True)
            else:
                longest = max(
                    (len(word) for each in objects for word in str(each).split()), default=0
                )
                how.setdefault("width", max(self.width, longest))
        super().print(*objects, **how)

    def on_broken_pipe(self) -> None:
        raise  # Rich calls this while it handles the error


class ConsoleHandler(logging.Handler):
    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(record.getMessage(), style="yellow", markup=False, highlight=False)


class Interruption(ContextDecorator):
    """Prints how to continue if its block or decorated function is interrupted."""

    def __init__(self, said: str) -> None:
        self.said = said

    def __enter__(self) -> Interruption:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is KeyboardInterrupt:
            screen(stderr=True).print(self.said, markup=False, soft_wrap=True)


def screen(*, stderr: bool = False, whole_lines: bool = False) -> Console:
    """Return the console for results or remarks; `whole_lines` never wrap in a file."""
    console = _Screen(stderr=stderr, whole_lines=whole_lines)
    if console.is_terminal or os.environ.get(COLUMNS, "").isdigit():
        return console
    return _Screen(stderr=stderr, whole_lines=whole_lines, width=WIDE)


def remark(*texts: str) -> None:
    for text in texts:
        screen(stderr=True).print(text, style="yellow", markup=False)


def tracked(
    results: Iterable[T], said: str, total: int, things: str, console: Console
) -> Iterator[T]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    live = console.is_terminal
    started = said_at = monotonic()
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not live) as progress:
        task = progress.add_task(f"{said}; {AT_FIRST}", total=total)
        for number, result in enumerate(results, 1):
            yield result
            progress.update(task, advance=1, description=said)
            if not live and number < total and monotonic() - said_at >= LINE_SECONDS:
                said_at = monotonic()
                left = (said_at - started) / number * (total - number)
                about = f"about {rough_duration(left)} left"
                console.print(f"{said} {number:,} of {total:,} {things} · {about}")


@contextmanager
def busy(what: str, console: Console) -> Iterator[None]:
    if console.is_terminal:
        with console.status(f"{what} …"):
            yield
        return
    ended, started = Event(), monotonic()

    def tell() -> None:
        while not ended.wait(LINE_SECONDS):
            console.print(f"{what}: {rough_duration(monotonic() - started)} so far", markup=False)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def ready_engine(console: Console, pieces: Iterable[Piece] = tuple(Piece)) -> None:
    """Compile these pieces of Arena's engine if needed; show progress."""
    pause = SHOW_SECONDS if console.is_terminal else LINE_SECONDS
    lines = compile_engine(pieces)
    for first in lines:  # no lines if everything is compiled
        console.print(first, markup=False)
        with console.status(f"{first} …") as status:
            shown_at = monotonic()
            for line in lines:
                if monotonic() - shown_at >= pause:
                    shown_at = monotonic()
                    if console.is_terminal:
                        status.update(f"{line} …")
                    else:
                        console.print(line, markup=False)


def typed_line(prompt: str) -> str | None:
    click.echo(prompt, nl=False)
    line = sys.stdin.readline(MOST_TYPED) if sys.stdin is not None else ""
    return line.strip() if line else None


NODES = 300_000  # Solver's budget for one exact position: a person waits for the page.
PAGE, GAMES, PGN = ".html", ".json", ".pgn"
# Endings of files with games, each with a part of every file that Arena writes.
SAVED: Mapping[str, bytes] = MappingProxyType(
    {PAGE: b'id="chunk-overview"', GAMES: b'{"kind":"games of a contest"', PGN: b'[Event "'}
)


def check_saved(path: Path, endings: Sequence[str] = tuple(SAVED)) -> str:
    """Return the ending of a file, one of `endings`. Raises InputError if unwritable."""
    ending = path.suffix.lower()
    if ending not in endings:
        raise InputError(f"{path}: the name must end in {listed(endings, 'or')}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.exists() and not (path.is_file() and _is_arenas(path, SAVED[ending])):
        raise InputError(f"{path}: exists, and is no such file of Arena's; not overwritten")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written to")
    return ending


def save_games(
    path: Path,
    rules: Ruleset,
    limits: Limits,
    players: Sequence[tuple[str, int | None]],
    games: Sequence[ShownGame],
) -> None:
    """Write games as a page with worths, JSON or PGN; `players` as for `replays_page`.

    Raises InputError, StorageError.
    """
    if check_saved(path) != PAGE:
        if not all(game.is_over for game in games):
            raise InputError(f"{path}: only a page, {PAGE}, can hold a game that is not over")
        write_games(path, " – ".join(name for name, _ in players), str(limits), games)
        return
    from arena.report.html.report import replays_page  # jinja2 is slow to import

    ready_engine(screen(stderr=True))
    write_text(path, replays_page(rules, limits, players, list(_analysed(rules, games))))


def write_games(
    path: Path,
    title: str,
    limits: str,
    games: Iterable[ShownGame],
    terms: BotTerms | None = None,
) -> int:
    """Write games as JSON or PGN, without unplayed forfeits, and return their number."""
    from arena.report.game_file import game_file, pgn, require_room

    played = [game for game in games if game.is_played]
    if not played:
        raise InputError(f"{path}: there are no games to write")
    if check_saved(path, (GAMES, PGN)) == PGN:
        text = "".join(pgn(title, played))
    else:
        require_room(path, len(played))
        text = game_file(title, limits, played, terms)
        require_room(path, len(played), len(text))
    write_text(path, text)
    return len(played)


def _analysed(rules: Ruleset, games: Sequence[ShownGame]) -> Iterator[ShownGame]:
    appraiser = Appraiser(rules, NODES)
    with screen(stderr=True).status("") as status:
        for done, game in enumerate(games):
            status.update(f"worth of moves: {done} of {len(games)} …")
            yield replace(game, analysis=analyse(rules, game.record, appraiser=appraiser))


def _is_arenas(path: Path, mark: bytes) -> bool:
    try:
        return mark in path.read_bytes()
    except OSError:
        return False
