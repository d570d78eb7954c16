"""`arena replay`: games that were played, in a list or move by move."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.one_of import OneOf
from arena.cli.options import UNCONFINED, confine
from arena.cli.screen import screen
from arena.cli.stepping import step_through
from arena.cli.verify import play_again
from arena.contest import GameAnalysis, Session
from arena.errors import InputError
from arena.naming import games_name, hint_for
from arena.numbers import counted
from arena.quoting import one_line
from arena.referee import GameRecord, Verdict
from arena.report.choice import Choice, Result, chosen
from arena.report.game_file import FileGames
from arena.report.games_table import as_plain, games_table
from arena.report.replayed import Replay
from arena.report.shown import ContestGames, ShownGame, ShownGames

LIMIT = 50
"""Games in a list, unless somebody says otherwise."""


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
    type=OneOf([each.value for each in Result]),
    help="List games that the bot (the first one named) won, lost or drew.",
)
@click.option(
    "--verdict",
    metavar="VERDICT",
    help="List games that ended so, as LINE or TIMEOUT.",
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
    help=f"List at most so many games. Default: {LIMIT}; with --json all.",
)
@click.option("--boards", is_flag=True, help="Print the game with the board after every move.")
@click.option(
    "--rerun",
    is_flag=True,
    help="Play the game again, as it was played, and compare it move for move.",
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
    """Step through a game, or list the games there are.

    GAMES is a contest's folder, or the file of games beside a feedback page. GAME is the game's
    number there; in a folder that is its number in games.csv, and the start of its key serves too.
    Without GAME the games are listed.

    On a terminal the arrow keys go forward and back, Home and End to either end, the space bar
    plays, and q quits; b goes to the next blunder of a game that was analysed. Elsewhere, and with
    --boards, every board is printed.

    With --rerun the game is played again, each bot confined as in the contest, and compared with
    its record. In the file beside a feedback page only one's own BOT is there to be asked again;
    the opponent's moves are those of the record. The exit code is 1 if it does not repeat.

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
        return play_again(_games(games), str(games), game, own_bot, as_json=as_json)
    if own_bot is not None:
        raise InputError(f"{own_bot}: a bot is only of use with --rerun, which plays a game again")
    choice = Choice(
        bots=bots,
        result=Result(result) if result else None,
        verdict=_verdict(verdict) if verdict else None,
        opening=opening,
    )
    if game is None and boards:
        raise InputError("--boards: of which game? add its number")
    if game is None:
        _print_list(games, choice, limit, as_json=as_json)
    elif choice != Choice() or limit is not None:
        raise InputError(
            f"game {game}: --bot, --result, --verdict, --opening and --limit choose "
            "from a list; leave out the game or the options"
        )
    else:
        _print_game(games, _games(games).find(game), boards=boards, as_json=as_json)
    return 0


def _print_list(path: Path, choice: Choice, limit: int | None, *, as_json: bool) -> None:
    """Print the games that are chosen. Raises InputError."""
    kept = _games(path)
    listed = chosen(kept, choice, str(path))
    if as_json:
        click.echo(json.dumps([as_plain(each) for each in islice(listed, limit)], indent=2))
        return
    if isinstance(kept, FileGames):
        click.echo(kept.title)
    _list(listed, limit or LIMIT, path)


def _print_game(path: Path, game: ShownGame, *, boards: bool, as_json: bool) -> None:
    """Print a game as JSON, or show it."""
    if as_json:
        click.echo(json.dumps(_plain(game), indent=2))
    else:
        _show(Replay(game), boards=boards)
        if game.is_played and game.record.verdict.is_fault:
            own = " my_bot.py" * (game.own is not None)
            again = f"arena replay {shlex.quote(str(path))} {game.number} --rerun{own}"
            click.echo(f"Played again: {again}")


def _verdict(word: str) -> Verdict:
    """Return the verdict of that name. Raises InputError."""
    if word.upper() not in Verdict.__members__:
        names = f"there are {', '.join(Verdict.__members__)}"
        hint = hint_for(word, Verdict.__members__, names)
        raise InputError(f"--verdict {one_line(word, 40)}: no verdict; {hint}")
    return Verdict[word.upper()]


def _games(path: Path) -> ShownGames:
    """Return the games that are kept there. Raises InputError."""
    if path.is_file() or (path.name.endswith(games_name("")) and not path.is_dir()):
        return FileGames(path)
    session = Session.read(path)
    return ContestGames(str(path), session.games, session.settle(graded=False))


def _list(games: Iterable[ShownGame], limit: int, path: Path) -> None:
    """Print a line for each game, up to a limit, and how many more there are."""
    games = iter(games)
    shown = list(islice(games, limit))
    more = sum(1 for _ in games)
    if not shown:
        click.echo("no such games")
        return
    console = screen()
    console.print(games_table(shown, console.width))
    where = shlex.quote(str(path))
    if more:
        console.print(f"and {counted(more, 'more game')}: --limit {limit + more} lists them all")
    console.print(f"a game move by move: arena replay {where} {shown[0].number}", markup=False)


def _show(replay: Replay, *, boards: bool) -> None:
    """Step through a game on a terminal; print all of it elsewhere, or if `boards` are wanted."""
    console = screen()
    if not boards and _takes_keys(console):
        step_through(replay, console)
        click.echo(replay.title())
        for line in replay.ending():
            click.echo(line)
        return
    for line in replay.lines():
        click.echo(line)


def _takes_keys(console: Console) -> bool:
    """Return whether somebody sits there who can press keys and see a board change."""
    is_screen = console.is_terminal and not console.is_dumb_terminal
    return is_screen and sys.stdin is not None and sys.stdin.isatty()


def _judged(analysis: GameAnalysis, record: GameRecord) -> list[dict[str, Any]]:
    """Return what each move was worth; values are null where the solver does not reach."""
    exact = {move.ply: move for move in analysis.moves}
    return [
        {
            "ply": move.ply + 1,
            "value": exact[move.ply].value if move.ply in exact else None,
            "best_value": exact[move.ply].before if move.ply in exact else None,
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
    """Return all that is known of a game, for JSON."""
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
        "analysis": _judged(game.analysis, record) if game.analysis else None,
    }
