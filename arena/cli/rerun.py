"""Playing games of a contest again, for the commands that do."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from arena.cli.options import lane_cores
from arena.cli.screen import ConsoleHandler, screen
from arena.contest import BotEntry, Contest, Lanes, Session
from arena.contest.log import logged
from arena.contest.machines import Machine, other_software
from arena.contest.rerun import (
    Question,
    Reruns,
    asked,
    damage,
    is_of_another_engine,
    own_difference,
)
from arena.contest.sampling import Played
from arena.errors import InputError
from arena.intake import find_submission
from arena.quoting import one_line
from arena.referee import GameKey, Limits
from arena.report.asked_again import AskedAgain, unlike
from arena.report.game_file import FileGames
from arena.report.own_terms import OwnTerms
from arena.report.rerun import as_plain, rerun_lines
from arena.report.shown import ContestGames, OwnSeat, ShownGame, ShownGames

ENGINE = "played with the engine of another version of Arena, which is not here"


@contextmanager
def playing_again(games: Sequence[Played], lanes: int | None, console: Console) -> Iterator[Reruns]:
    """Play games again on lanes. Nothing is written to the contest's folder, nor to its log.

    It may be read-only, and another command may be at work in it.
    """
    with lanes_alone(lanes, games[0][0].key.limits, console) as executor:
        yield Reruns(games, executor)


@contextmanager
def lanes_alone(lanes: int | None, limits: Limits, console: Console) -> Iterator[Lanes]:
    """Start lanes without a log but for warnings on the console."""
    cores = lane_cores(lanes, limits)
    with logged(Path(os.devnull), ConsoleHandler(console)), Lanes(cores) as executor:
        yield executor


def play_again(
    games: ShownGames, place: str, word: str, own_bot: str | None, *, as_json: bool
) -> int:
    """Play a game again and print whether it repeats; returns the exit code. Raises InputError.

    `place` is where the games are kept, as it was typed, and `own_bot` the path of the bot that is
    asked again where the other is not there.
    """
    if isinstance(games, ContestGames):
        if own_bot is not None:
            raise InputError(f"{own_bot}: the contest has its own copies of its bots; leave it out")
        return _of_contest(games, Path(place), word, as_json=as_json)
    assert isinstance(games, FileGames)
    shown = games.find(word)
    if shown.own is None or games.terms is None:
        raise InputError(
            f"{place}: an earlier Arena wrote it, which did not note how to ask your bot again; "
            "games can be looked at without --rerun"
        )
    if own_bot is None:
        raise InputError(
            "--rerun: which bot is to be asked again? Add your own file, as in "
            f"arena replay {shlex.quote(place)} {shown.number} --rerun my_bot.py"
        )
    memory_mb, there = games.terms.limits.memory_mb, Machine.this(1).memory_mb
    if memory_mb > there:
        raise InputError(
            f"{place}: its bots may use {memory_mb:,} MB of memory, and this machine "
            f"has {there:,}; play it again on a larger one"
        )
    return _at_home(shown, shown.own, games.terms, own_bot, as_json=as_json)


def _of_contest(games: ContestGames, folder: Path, word: str, *, as_json: bool) -> int:
    """Play a game of a contest again."""
    console = screen(stderr=True)
    game, record = games.played(word)
    for name, bot in ((game.first, game.key.first), (game.second, game.key.second)):
        if is_of_another_engine(bot):
            raise InputError(
                f"{folder}: game {game.number} cannot be played again: {name} {ENGINE}"
            )
        if said := damage(bot):
            repair = f"arena verify {shlex.quote(str(folder))} --repair"
            raise InputError(f"{folder}: {name} {said}; put it back: {repair}")
    software = other_software(folder)
    for remark in software:
        console.print(one_line(remark), style="yellow", markup=False)
    with playing_again([(game, record)], 1, console) as again:
        found = list(again)
    for line in again.not_played():
        console.print(line, style="red", markup=False)
    for rerun in found:
        if as_json:
            click.echo(json.dumps({**as_plain(rerun), "remarks": software}, indent=2))
        else:
            for line in rerun_lines(rerun, same_machine=not software):
                click.echo(line)
    return int(any(each.difference is not None for each in found) or not found)


def _at_home(shown: ShownGame, own: OwnSeat, terms: OwnTerms, word: str, *, as_json: bool) -> int:
    """Ask the author's own bot again what it was asked in a game."""
    console = screen(stderr=True)
    submission = find_submission(word)
    settings = terms.overrides
    if settings.file not in submission.files:
        settings = replace(settings, file=None)
    contest = Contest(
        rules=shown.rules,
        limits=terms.limits,
        bots={submission.name: BotEntry(overrides=settings)},
    )
    with Session.throwaway(contest, (submission,)) as session:
        remarks = [*session.remarks, *unlike(terms, submission, word)]
        for remark in remarks:
            console.print(one_line(remark), style="yellow", markup=False)
        session.require_boards()
        (bot,) = session.bots.values()
        record = shown.record
        opening = tuple(record.columns[: record.opening_plies])
        key = GameKey(
            rules=shown.rules, limits=terms.limits, opening=opening, first=bot, second=bot, seed=0
        )
        columns = tuple(record.columns)
        question = Question(key=key, seat=own.seat, columns=columns, seed=own.seed)
        with lanes_alone(1, terms.limits, console) as executor:
            again = asked(question, executor)
            difference = own_difference(record, again, own.seat)
            once_more = None if difference is None else asked(question, executor)
    asked_again = AskedAgain(
        shown=shown, seat=own.seat, again=again, difference=difference, once_more=once_more
    )
    if as_json:
        click.echo(json.dumps({**asked_again.plain(), "remarks": remarks}, indent=2))
    else:
        for line in asked_again.lines():
            click.echo(line)
    return int(difference is not None)
