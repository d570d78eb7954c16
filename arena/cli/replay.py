"""`arena replay`: played games, in a list or move by move."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import sys
import termios
import tty
from collections import deque
from enum import StrEnum
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

import click
from rich.console import Console
from rich.live import Live

from arena.analysis.analysis import GameAnalysis
from arena.cli.files import OneOf
from arena.cli.options import UNCONFINED, confine
from arena.cli.screen import screen
from arena.cli.verify import rerun_game
from arena.common.errors import InputError
from arena.common.names import games_name
from arena.common.text import counted
from arena.contest.session import Session
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.game_file import FileGames
from arena.report.replay import ContestGames, Replay, ShownGame, frame
from arena.report.screen.games import Choice, GameResult, as_plain, chosen, games_table

LIMIT = 50  # Default number of games in a list.


@click.command()
@click.argument("games", type=click.Path(path_type=Path))
@click.argument("game", required=False)
@click.argument("own_bot", metavar="[BOT]", required=False)
@click.option(
    "--bot",
    "bots",
    metavar="NAME",
    multiple=True,
    help="List games of this bot; given twice, those between the two.",
)
@click.option(
    "--result",
    type=OneOf([each.value for each in GameResult]),
    help="List games that the bot (the first one named) won, lost or drew.",
)
@click.option(
    "--verdict",
    type=OneOf([*Verdict.__members__], case_sensitive=False),
    metavar="VERDICT",
    help="List games with this verdict, like LINE or TIMEOUT.",
)
@click.option(
    "--opening",
    type=click.IntRange(min=1),
    metavar="N",
    help="List games from this opening.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"List at most N games. Default: {LIMIT}; with --json all.",
)
@click.option("--boards", is_flag=True, help="Print the game with the board after every move.")
@click.option(
    "--rerun",
    is_flag=True,
    help="Play the game again and compare every move with its record.",
)
@click.option("--allow-unsandboxed", is_flag=True, help=f"With --rerun: {UNCONFINED.lower()}")
@click.option("--json", "as_json", is_flag=True, help="Print the game, or the list, as JSON.")
def replay(
    games: Path,
    game: str | None,
    own_bot: str | None,
    bots: tuple[str, ...],
    result: str | None,
    verdict: str | None,
    opening: int | None,
    limit: int | None,
    boards: bool,
    rerun: bool,
    allow_unsandboxed: bool,
    as_json: bool,
) -> int:
    """Step through a game, or list the games.

    GAMES is a contest's folder, or the file of games beside a feedback page. GAME is a game's
    number or, in a contest's folder, the start of its key. Without GAME the games are listed.

    Keys on a terminal: arrows step, Home and End go to either end, space plays, b goes to the next
    blunder of an analysed game, q quits. Elsewhere, and with --boards, every board is printed.

    With --rerun the game is played again, each bot confined as in the contest, and compared with
    its record. For a file beside a feedback page give your own BOT; the opponent's moves come from
    the record. Exit code 1 if the game does not go as recorded.

    \b
    Example:
      arena replay results/homework4 12
      arena replay results/homework4 --bot alice --result lost
      arena replay results/homework4 12 --rerun
      arena replay dora.json 27 --rerun dora.py
    """
    if rerun:
        if game is None or boards or limit is not None or any((bots, result, verdict, opening)):
            raise InputError("--rerun: takes one game, by its number, and no option to list games")
        confine(allow_unsandboxed)
        return rerun_game(_open_games(games), str(games), game, own_bot, as_json=as_json)
    if own_bot is not None:
        raise InputError(f"{own_bot}: a bot is only of use with --rerun, which plays a game again")
    choice = Choice(
        bots=bots,
        result=GameResult(result) if result else None,
        verdict=Verdict[verdict] if verdict else None,
        opening=opening,
    )
    if game is None and boards:
        raise InputError("--boards: needs a game; add its number")
    if game is None:
        _print_list(games, choice, limit, as_json=as_json)
    elif choice != Choice() or limit is not None:
        raise InputError(
            f"game {game}: --bot, --result, --verdict, --opening and --limit choose "
            "from a list; leave out the game or the options"
        )
    else:
        _print_game(games, _open_games(games).find(game), boards=boards, as_json=as_json)
    return 0


def _print_list(path: Path, choice: Choice, limit: int | None, *, as_json: bool) -> None:
    kept = _open_games(path)
    listed = chosen(kept, choice, str(path))
    if as_json:
        click.echo(json.dumps([as_plain(each) for each in islice(listed, limit)], indent=2))
        return
    if isinstance(kept, FileGames):
        click.echo(kept.title)
    limit = limit or LIMIT
    shown = list(islice(listed, limit))
    more = sum(1 for _ in listed)
    if not shown:
        click.echo("no such games")
        return
    console = screen()
    console.print(games_table(shown, console.width))
    where = shlex.quote(str(path))
    if more:
        console.print(f"and {counted(more, 'more game')}: --limit {limit + more} lists them all")
    console.print(f"a game move by move: arena replay {where} {shown[0].number}", markup=False)


def _print_game(path: Path, game: ShownGame, *, boards: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_plain(game), indent=2))
    else:
        _show(Replay(game), boards=boards)
        if game.is_played and game.record.verdict.is_fault:
            own = " my_bot.py" * (game.own is not None)
            again = f"arena replay {shlex.quote(str(path))} {game.number} --rerun{own}"
            click.echo(f"To play it again: {again}")


def _open_games(path: Path) -> ContestGames | FileGames:
    if path.is_file() or (path.name.endswith(games_name("")) and not path.is_dir()):
        return FileGames(path)
    session = Session.read(path)
    return ContestGames(str(path), session.games, session.settle(graded=False))


def _show(replay: Replay, *, boards: bool) -> None:
    console = screen()
    # a person can press keys and see the board change
    takes_keys = console.is_terminal and not console.is_dumb_terminal and sys.stdin is not None
    if not boards and takes_keys and sys.stdin.isatty():
        step_through(replay, console)
        click.echo(replay.title())
        for line in replay.ending():
            click.echo(line)
        return
    for line in replay.lines():
        click.echo(line)


def _moves_json(analysis: GameAnalysis, record: GameRecord) -> list[dict[str, Any]]:
    return [
        {
            "ply": move.ply + 1,
            "value": analysis.values.get(move.ply),
            "best_value": move.position.value if move.ply in analysis.values else None,
            "matters": move.matters,
            "blunder": move.is_blunder,
            "held_by": list(move.position.held_by) if move.is_blunder else [],
            "chance": move.worth.chance,
            "best_chance": move.position.chance,
            "estimate": move.is_estimate,
            "columns": move.position.numbers,
        }
        for move in analysis.judged(record)
    ]


def _plain(game: ShownGame) -> dict[str, Any]:
    record = game.record
    return {
        "game": game.number,
        "first": game.names[0],
        "second": game.names[1],
        "moves": list(record.columns),
        "opening_plies": record.opening_plies,
        "charged_ms": [spent / 1e6 for spent in record.charged_ns],
        "nodes": list(record.nodes),
        "winner": None if record.winner is None else game.names[record.winner],
        "verdict": record.verdict.name,
        "reason": record.reason,
        "output": record.output,
        "key": record.key,
        "forfeit": game.forfeit.reason if game.forfeit else None,
        "analysis": _moves_json(game.analysis, record) if game.analysis else None,
    }


# Seconds to wait for the rest of a key that a terminal sends as several characters.
REST_SECONDS = 0.05

# A key as terminals send it.
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)

# What a terminal may send first of a key that consists of several characters.
PREFIXES = ("\x1b", "\x1b[", "\x1bO")


class Key(StrEnum):
    """Keys that have a name; the name of any other key is the text that it sends."""

    LEFT = "left"
    RIGHT = "right"
    HOME = "home"
    END = "end"
    ESCAPE = "\x1b"
    CLOSED = "\x04"
    """Ctrl-D; also stands for a closed terminal."""


NAMES = {
    **dict.fromkeys(("\x1b[D", "\x1bOD"), Key.LEFT),
    **dict.fromkeys(("\x1b[C", "\x1bOC"), Key.RIGHT),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), Key.HOME),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"), Key.END),
}


class Keys:
    """A context that reads single keys from standard input, without echo.

    Ctrl-Z is off, as it would leave the shell with this state of the terminal.
    """

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._pressed: deque[str] = deque()

    def __enter__(self) -> Keys:
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        changed = termios.tcgetattr(self._file)
        changed[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(self._file, termios.TCSANOW, changed)
        return self

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(self._file, termios.TCSANOW, self._before)

    def next(self, seconds: float) -> str | None:
        """Return the next key; None if none is pressed within `seconds`."""
        if not self._pressed and self._is_ready(seconds):
            sent = self._read()
            if not sent:
                return Key.CLOSED
            while sent.endswith(PREFIXES) and self._is_ready(REST_SECONDS):
                sent += self._read()
            self._pressed.extend(NAMES.get(key, key) for key in KEY.findall(sent))
        return self._pressed.popleft() if self._pressed else None

    def _is_ready(self, seconds: float) -> bool:
        return bool(select.select([self._file], [], [], seconds)[0])

    def _read(self) -> str:
        try:
            return os.read(self._file, 1024).decode(errors="replace")
        except OSError:  # the terminal is closed
            return ""


PLY_SECONDS = 0.6  # Seconds for a ply while the game plays by itself.
LOOK_SECONDS = 0.25  # Seconds between two checks of the terminal's size.

# Help on keys; the last text is shown only for an analysed game.
KEYS = ("→ ← step", "Home End", "space plays", "q quits", "b next blunder")


class Stepper:
    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self.ply = replay.opening_plies
        self.is_playing = False
        self.has_left = False

    def press(self, key: str) -> None:
        before, self.is_playing = self.is_playing, False
        match key:
            case Key.RIGHT | "l":
                self._go(self.ply + 1)
            case Key.LEFT | "h":
                self._go(self.ply - 1)
            case Key.HOME:
                self._go(0)
            case Key.END:
                self._go(self._replay.plies)
            case "b":
                later = [ply for ply in self._replay.blunders if ply > self.ply]
                self._go(min(later or self._replay.blunders, default=self.ply))
            case " ":
                self.is_playing = not before
                if self.ply == self._replay.plies:
                    self._go(self._replay.opening_plies)
            case "q" | Key.ESCAPE | Key.CLOSED:
                self.has_left = True
            case _:
                self.is_playing = before

    def tick(self) -> None:
        if self.is_playing:
            self._go(self.ply + 1)
            self.is_playing = self.ply < self._replay.plies

    def _go(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self._replay.plies)


def step_through(replay: Replay, console: Console) -> None:
    stepper = Stepper(replay)
    said = " · ".join(KEYS if replay.blunders else KEYS[:-1])
    with Keys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        shown, ticked_at = None, monotonic()
        while not stepper.has_left:
            size = console.size
            if shown != (now := (stepper.ply, size)):
                shown = now
                drawn = frame(replay, stepper.ply, size.width, size.height, said)
                live.update(drawn, refresh=True)
            key = keys.next(LOOK_SECONDS)
            if key is not None:
                stepper.press(key)
                ticked_at = monotonic()
            elif monotonic() - ticked_at >= PLY_SECONDS:
                stepper.tick()
                ticked_at = monotonic()
