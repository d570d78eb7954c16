"""`arena play`: a game against a bot, or between two persons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from arena.cli.options import RULES, contest_from, game_options, one_bot, runs_bots
from arena.cli.screen import ready_engine, screen
from arena.cli.table import Opponent, Table, Terminal, read_game
from arena.contest import Contest, Session
from arena.engine.ready import begin_compiling
from arena.errors import InputError
from arena.intake import Submission, find_submission
from arena.naming import plain_name
from arena.referee.bot_player import BotPlayer
from arena.referee.zygote import Zygote
from arena.rules import Position


@click.command()
@click.argument("bot", required=False)
@click.option("--second", is_flag=True, help="The bot begins.")
@click.option("--load", "file", metavar="FILE", help="Go on with a game that was saved.")
@game_options
@one_bot
@runs_bots
def play(bot: str | None, second: bool, file: str | None, one_bot: bool, **options: Any) -> int:
    """Play against BOT, a path or the name of a bot that comes with Arena; without BOT two persons
    play each other.

    Type the number of a column, or hint, undo, save FILE, load FILE, quit; ? says more. The bot has
    a contest's limits. Where there is no terminal, lines are read and printed as they come.

    \b
    Examples:
      arena play my_bot.py
      arena play novice --second --preset cs4100
    """
    if second and bot is None:
        raise InputError("--second: against whom? name a BOT, or leave it out")
    contest = contest_from(Contest(), options)
    position = Position(contest.rules)
    if file is not None:
        position = read_game(file)
        if position.rules != contest.rules and any(
            options[name] is not None for name in ("preset", *RULES)
        ):
            raise InputError(
                f"{file}: a game on {position.rules}; leave out the options about the board"
            )
    found = None if bot is None else find_submission(bot, one_bot=one_bot)
    terminal = Terminal()
    with _opponent(found, contest, terminal) as opponent:
        table = Table(terminal, opponent, contest.limits, options["seed"], person=int(second))
        return table.play(position)


@contextmanager
def _opponent(
    submission: Submission | None, contest: Contest, terminal: Terminal
) -> Iterator[Opponent | None]:
    """Start the bot that somebody wants to play against; None if it is a person."""
    if submission is None:
        yield None
        return
    with Session.throwaway(contest, (submission,)) as session:
        for remark in session.remarks:
            screen(stderr=True).print(remark, style="yellow", markup=False)
        if submission.entry_point.engine is not None:
            ready_engine(screen(stderr=True))
        else:
            begin_compiling()  # a hint or a page of the game may be asked for
        bot = session.bots[submission.name]
        with terminal.busy("starting"):
            zygote = Zygote()
        try:
            with BotPlayer(zygote, bot, session.contest.limits) as player:
                yield Opponent(plain_name(submission.name) or "bot", bot, player)
        finally:
            zygote.close()
