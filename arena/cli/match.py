"""`arena match`: one pairing, game by game."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.cli.options import (
    contest_from,
    contest_options,
    executing,
    log_json,
    on_executors,
    one_bot,
    runs_bots,
)
from arena.cli.screen import (
    Interruption,
    check_page,
    ready_engine,
    remark,
    save_page,
    screen,
)
from arena.common.text import counted, plain_lines
from arena.contest.run import Run
from arena.contest.session import Session
from arena.courses.roster import find_submission, with_distinct_names
from arena.game.record import GameRecord
from arena.openings.pool import ALL
from arena.report.replay import OUTPUT_WIDTH, ShownGame, outcome
from arena.rules import MARKS, format_moves
from arena.settings.contest import Contest, Schedule, ScheduledGame

OUTPUT_LINES = 20  # Lines printed of a faulty bot's output.


@click.command()
@click.argument("bot_a")
@click.argument("bot_b")
@contest_options
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@on_executors
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a page with the replay of every game, for a browser: a name ending in .html.",
)
@one_bot
@runs_bots
@log_json
@Interruption("stopped; a match keeps nothing: the same command plays it again")
def match(
    bot_a: str,
    bot_b: str,
    lanes: int | None,
    save: Path | None,
    one_bot: bool,
    log_json: bool,
    **options: Any,
) -> int:
    """Play one pairing, BOT_A against BOT_B, and print it game by game.

    A bot is a path or a name. House players, from weak to strong: random, greedy, novice,
    reference, master, perfect. Demo bots have names too, like quartets.

    \b
    Example:
      arena match my_bot.py reference --openings 5
      arena match my_bot.py novice --save match.html
    """
    if save is not None:
        check_page(save)
    contest = contest_from(Contest(schedule=Schedule(shared_openings=ALL)), options)
    one, other = with_distinct_names(
        [find_submission(word, contest.interfaces, one_bot=one_bot) for word in (bot_a, bot_b)]
    )
    if one.name == other.name:
        one, other = (
            replace(one, name=f"{one.name}-1"),
            replace(other, name=f"{other.name}-2"),
        )
    console = screen(stderr=True)
    with Session.throwaway(contest, (one, other)) as session:
        remark(*session.remarks)
        session.require_boards()
        if session.contest.needs_engine:
            ready_engine(console)
        with (
            executing(session, lanes, console, log_json=log_json) as executor,
            session.run(executor, whole=True) as run,
        ):
            records = _print_games(session.games, run, (one.name, other.name))
        if save is not None and records:
            limits = session.contest.limits
            players = [
                (each.name, session.bots[each.name].own(limits).nodes) for each in (one, other)
            ]
            games = [
                ShownGame.of(game, records[game.key.digest])
                for game in session.games
                if game.key.digest in records
            ]
            save_page(save, session.contest.rules, limits, players, games)
            click.echo(f"{save}: {counted(len(games), 'replay')}")
    for line in run.not_played():
        click.echo(line, err=True)
    return int(bool(run.abandoned))


def _print_games(
    games: Sequence[ScheduledGame], run: Run, names: tuple[str, str]
) -> dict[str, GameRecord]:
    played: dict[str, GameRecord] = {}
    points = dict.fromkeys(names, 0.0)
    left = deque(games)
    faults: set[tuple[str, str]] = set()
    for records in run:
        played.update((record.key, record) for record in records)
        while left and left[0].key.digest in played:
            game = left.popleft()
            record = played[game.key.digest]
            _print_result(game, record, points)
            if record.verdict.is_fault and record.loser is not None:
                bot = (game.first, game.second)[record.loser]
                if (bot, record.verdict.name) not in faults:  # more would hide the results
                    faults.add((bot, record.verdict.name))
                    _print_output(bot, record)
    score = " : ".join(f"{name} {total:g}" for name, total in points.items())
    click.echo(f"\n{score}   ({counted(len(games) - len(left), 'game')})")
    return played


def _print_result(game: ScheduledGame, record: GameRecord, points: dict[str, float]) -> None:
    names = game.first, game.second
    for seat, name in enumerate(names):
        if record.is_game:
            points[name] += 0.5 if record.winner is None else float(record.winner == seat)
    opening = record.columns[: record.opening_plies]
    mover = names[len(opening) % 2]
    begins = f"{mover} moves after {format_moves(opening)}" if opening else f"{mover} begins"
    click.echo(
        f"game {game.number:>3}  {game.first} {MARKS[0]}, {game.second} {MARKS[1]}, {begins}: "
        f"{outcome(names, record)} ({counted(len(record.columns), 'ply')})"
    )


def _print_output(bot: str, record: GameRecord) -> None:
    lines = plain_lines(record.output.strip("\n"), OUTPUT_WIDTH)[-OUTPUT_LINES:]
    if lines:
        click.echo(f"          end of the output of {bot}:")
    for line in lines:
        click.echo(f"            {line}")
