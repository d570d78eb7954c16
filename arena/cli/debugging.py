"""`--debug` and `--profile`: a bot in the command's own process."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from cProfile import Profile
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from arena.cli.options import Command
from arena.cli.screen import screen
from arena.common.errors import InputError
from arena.common.text import counted, duration, one_line
from arena.contest.session import Session
from arena.game.bot_player import BotPlayer
from arena.game.debug_player import DebugPlayer, FunctionTime, function_times
from arena.game.limits import SECOND
from arena.game.play import play
from arena.game.player import Player
from arena.game.record import GameRecord
from arena.game.starter import new_starter
from arena.intake.files import FolderFiles
from arena.intake.submission import Submission
from arena.interfaces import is_program

ROWS = 15  # Functions in the table of a profile.
NAMED = 3  # Functions of libraries that are named below it.
NAME = 60  # Characters of a function's name.


def debugging(command: Command) -> Command:
    profile = click.option(
        "--profile", is_flag=True, help="Print in which functions of the bot the time goes."
    )
    debug = click.option(
        "--debug",
        is_flag=True,
        help="Run the bot in this process, without time limit or sandbox: its output is shown, "
        "breakpoint() and debuggers work, and errors have their traceback. Of two bots, the "
        "first that is your own.",
    )
    return debug(profile(command))


def debugged(*submissions: Submission) -> Submission:
    """Return the first bot that can run in this process.

    Raises InputError if none can run.
    """
    reasons = {each.name: _refusal(each) for each in submissions}
    able = [each for each in submissions if not reasons[each.name]]
    own = [each for each in able if not each.house]
    if able:
        return (own or able)[0]
    why = "; ".join(one_line(f"{name} {reason}") for name, reason in reasons.items())
    raise InputError(f"--debug and --profile: {why}; name a bot that is written in Python")


def _refusal(submission: Submission) -> str:
    if submission.entry_point.engine is not None:
        return "is Arena's engine"
    if is_program(submission.entry_point.interface):
        return "is a program, which runs in a separate process"
    return ""


@contextmanager
def in_this_process(session: Session, name: str, *, profile: bool) -> Iterator[DebugPlayer]:
    """Yield a bot's player; Ctrl-C shows the bot's line. Then print its `profile`."""
    bot, files = session.bots[name], session.submissions[name].contents
    folder, sources = Path(bot.root), None
    if isinstance(files, FolderFiles):  # not an archive, nor a notebook
        folder = files.folder.absolute()
        sources = [str(folder / file) for file in files.names if file.endswith(".py")]
    player = DebugPlayer(bot, session.contest.limits, folder, sources)
    if profile:
        player.profile = Profile()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield player
        if player.profile is not None:
            _print_profile(name, *function_times(player.profile, folder))
    finally:
        signal.signal(signal.SIGINT, before)


def games_here(session: Session, name: str, player: Player) -> Iterator[list[GameRecord]]:
    (other,) = (bot for each, bot in session.bots.items() if each != name)
    with (
        closing(new_starter()) as starter,
        BotPlayer(starter, other, session.contest.limits) as opponent,
    ):
        for game in session.games:
            seated = (player, opponent) if game.first == name else (opponent, player)
            yield [play(game.key, *seated)]


def _print_profile(name: str, own: Sequence[FunctionTime], others: Mapping[str, float]) -> None:
    console = screen()
    total = sum(each.own_seconds for each in own) + sum(others.values()) or 1e-9
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for title in ("own time", "share", "with calls", "calls", "function", "at"):
        side: Any = "left" if title in ("function", "at") else "right"
        table.add_column(title, justify=side, overflow="fold")
    for each in own[:ROWS]:
        table.add_row(
            duration(each.own_seconds * SECOND),
            f"{100 * each.own_seconds / total:.0f} %",
            duration(each.seconds * SECOND),
            f"{each.calls:,}",
            Text(one_line(each.name.replace(".<locals>", ""), NAME)),
            Text(one_line(each.place, NAME)),
        )
    spent = duration(total * SECOND)
    click.echo(f"\n{name}: {spent} in its moves, which take longer when they are measured")
    console.print(table)
    if len(own) > ROWS:
        click.echo(f"and {counted(len(own) - ROWS, 'more function')}")
    seconds = sum(others.values())
    most = ", ".join(map(_short, list(others)[:NAMED]))
    share = f"{duration(seconds * SECOND)}, {100 * seconds / total:.0f} %"
    click.echo(f"in functions of Python and of packages: {share}{most and f' (most in {most})'}")


def _short(name: str) -> str:
    """Return `list.append` for `<method 'append' of 'list' objects>`, and the like."""
    name = re.sub(r"<method '(.+)' of '(.+)' objects>", r"\2.\1", name)
    return one_line(re.sub(r"<built-in method (.+)>", r"\1", name), NAME)
