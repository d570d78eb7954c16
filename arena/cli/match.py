"""`arena match`: one pairing, game by game, or until it is known who is better."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.cli.debugging import debugged, debugging, games_here, in_this_process
from arena.cli.files import ANY_PATH
from arena.cli.options import (
    contest_from,
    contest_options,
    executing,
    on_executors,
    one_bot,
    runs_bots,
    where,
)
from arena.cli.screen import (
    PAGE,
    Interruption,
    check_saved,
    ready_engine,
    remark,
    save_games,
    screen,
)
from arena.common.errors import InputError
from arena.common.text import counted, plain_lines
from arena.contest.session import Session
from arena.courses.roster import find_submission, with_distinct_names
from arena.game.listening import HeardRecord
from arena.game.record import GameRecord
from arena.intake.submission import Submission
from arena.openings.pool import ALL
from arena.report.duel import MOST_OPENINGS, Duel
from arena.report.replay import OUTPUT_WIDTH, ShownGame, outcome
from arena.rules import MARKS, format_moves
from arena.settings.contest import Contest, Schedule, ScheduledGame

OUTPUT_LINES = 20  # Lines printed of a faulty bot's output.
HEARD_LINES = 200  # Lines printed of what bots print in their moves.


@click.command()
@click.argument("bot_a")
@click.argument("bot_b", required=False)
@click.option(
    "--against", metavar="BOT", help="The other bot, an older version of BOT_A: instead of BOT_B."
)
@click.option(
    "--until-sure",
    is_flag=True,
    help="Play until it is known which is better, and print that. --openings limits it; default: "
    f"{MOST_OPENINGS}.",
)
@contest_options
@on_executors
@click.option(
    "--save",
    type=ANY_PATH,
    metavar="FILE",
    help="Write the games to a file: FILE.html is a page with replays, for a browser; arena replay "
    "reads FILE.json; FILE.pgn is text.",
)
@debugging
@one_bot
@runs_bots
@Interruption("stopped; a match keeps nothing: the same command plays it again")
def match(
    bot_a: str,
    bot_b: str | None,
    against: str | None,
    until_sure: bool,
    save: Path | None,
    debug: bool,
    profile: bool,
    one_bot: bool,
    **options: Any,
) -> int:
    """Play one pairing, BOT_A against BOT_B, and print it game by game.

    A bot is a path or a name. Some house players, from weak to strong: random, greedy, novice,
    reference, master, perfect. Demo bots have names too, like quartets.

    --until-sure prints an opening a line. At equal strength it names a better bot in at most 5 %
    of matches.

    \b
    Example:
      arena match my_bot.py reference --openings 5
      arena match my_bot.py novice --save match.html
      arena match my_bot.py novice --openings 1 --debug
      arena match my_bot.py --against last-week/my_bot.py --until-sure
    """
    here = debug or profile
    if here and (where().lanes or where().elsewhere):
        raise InputError(
            "--debug, --profile: play one game at a time; leave out --lanes, --cluster"
        )
    if save is not None:
        check_saved(save)
    plan = Schedule(openings=MOST_OPENINGS) if until_sure else Schedule()
    contest = contest_from(Contest(schedule=replace(plan, shared_openings=ALL)), options)
    words = (bot_a, _other_word(bot_b, against))
    found = [find_submission(word, contest.interfaces, one_bot=one_bot) for word in words]
    one, other = _distinct(found, is_version=against is not None)
    if until_sure and _are_same(one, other):
        click.echo(f"{one.name} and {other.name} are equal: their programs are the same")
        return 0
    own = debugged(one, other).name if here else ""
    names = (one.name, other.name)
    with Session.throwaway(contest, (one, other)) as session:
        remark(*session.remarks)
        session.require_boards()
        ready_engine(screen(stderr=True), session.contest.engine)
        with _played(session, own, listens=not until_sure, profile=profile) as playing:
            if until_sure:
                records = _print_duel(session.games, playing, Duel(*names))
            else:
                records = _print_games(session.games, playing.played, names)
        if save is not None and records:
            _save(save, session, names, records)
    for line in playing.missed:
        click.echo(line, err=True)
    return int(bool(playing.missed))


def _other_word(bot_b: str | None, against: str | None) -> str:
    match [bot_b, against]:
        case [str(word), None] | [None, str(word)]:
            return word
        case [None, None]:
            raise click.UsageError("Missing argument 'BOT_B', the other bot.")
    raise InputError(f"--against {against}: names the other bot; leave out {bot_b}")


def _distinct(
    submissions: Sequence[Submission], *, is_version: bool
) -> tuple[Submission, Submission]:
    one, other = with_distinct_names(submissions)
    if is_version:
        one = submissions[0]
    if one.name == other.name:
        return replace(one, name=f"{one.name}-1"), replace(other, name=f"{other.name}-2")
    return one, other


def _are_same(one: Submission, other: Submission) -> bool:
    points = [replace(each.entry_point, file="", name="") for each in (one, other)]
    return one.likeness == other.likeness != "" and points[0] == points[1]


def _save(
    path: Path, session: Session, names: Sequence[str], records: Mapping[str, GameRecord]
) -> None:
    limits = session.contest.limits
    players = [(name, session.bots[name].own(limits).nodes) for name in names]
    games = [
        ShownGame.of(game, records[game.key.digest])
        for game in session.games
        if game.key.digest in records
    ]
    save_games(path, session.contest.rules, limits, players, games)
    things = "replay" if path.suffix.lower() == PAGE else "game"
    click.echo(f"{path}: {counted(len(games), things)}")


@dataclass(frozen=True, slots=True)
class _MatchRun:
    played: Iterable[Sequence[GameRecord]]
    stop: Callable[[], object]
    missed: list[str] = field(default_factory=list)


@contextmanager
def _played(session: Session, own: str, *, listens: bool, profile: bool) -> Iterator[_MatchRun]:
    if own:
        with in_this_process(session, own, profile=profile) as player:
            yield _MatchRun(games_here(session, own, player), lambda: None)
        return
    with (
        executing(session, screen(stderr=True)) as executor,
        session.run(executor, whole=True, listens=listens) as run,
    ):
        playing = _MatchRun(run, partial(executor.shutdown, wait=False, cancel_futures=True))
        yield playing
    playing.missed.extend(run.not_played())


def _print_games(
    games: Sequence[ScheduledGame],
    played_games: Iterable[Sequence[GameRecord]],
    names: tuple[str, str],
) -> dict[str, GameRecord]:
    played: dict[str, GameRecord] = {}
    points = dict.fromkeys(names, 0.0)
    left = deque(games)
    faults: set[tuple[str, str]] = set()
    room = HEARD_LINES
    for records in played_games:
        played.update((record.key, record) for record in records)
        while left and left[0].key.digest in played:
            game = left.popleft()
            record = played[game.key.digest]
            _print_result(game, record, points)
            if isinstance(record, HeardRecord):
                room = _print_heard(game, record, room)
            _print_fault(game, record, faults)
    score = " : ".join(f"{name} {total:g}" for name, total in points.items())
    click.echo(f"\n{score}   ({counted(len(games) - len(left), 'game')})")
    return played


def _print_duel(
    games: Sequence[ScheduledGame], playing: _MatchRun, duel: Duel
) -> dict[str, GameRecord]:
    """Print opening by opening until it is known who is better; return their games."""
    counting: dict[str, GameRecord] = {}
    faults: set[tuple[str, str]] = set()
    click.echo(f"{duel.new} against {duel.old}, each opening with both sides:")
    for number, pair in enumerate(_opening_pairs(games, playing.played), 1):
        seats = [int(game.second == duel.new) for game, _ in pair]
        records = [record for _, record in pair]
        click.echo(f"opening {number:>3}  {duel.add(list(zip(seats, records, strict=True)))}")
        for game, record in pair:
            _print_fault(game, record, faults)
            counting[record.key] = record
        if duel.is_decided:
            playing.stop()
            break
    click.echo(f"\n{duel.answer()}")
    return counting


def _opening_pairs(
    games: Sequence[ScheduledGame], played_games: Iterable[Sequence[GameRecord]]
) -> Iterator[list[tuple[ScheduledGame, GameRecord]]]:
    """Yield the two games of each opening in the order of openings, not of their ends."""
    played: dict[str, GameRecord] = {}
    left = deque(zip(games[::2], games[1::2], strict=True))
    for records in played_games:
        played.update((record.key, record) for record in records)
        while left and all(game.key.digest in played for game in left[0]):
            yield [(game, played[game.key.digest]) for game in left.popleft()]


def _print_fault(game: ScheduledGame, record: GameRecord, printed: set[tuple[str, str]]) -> None:
    """Print the output of the bot at fault, once for each bot and verdict: more hides results."""
    if record.verdict.is_fault and record.loser is not None:
        bot = game.names[record.loser]
        if (bot, record.verdict.name) not in printed:
            printed.add((bot, record.verdict.name))
            _print_output(bot, record)


def _print_result(game: ScheduledGame, record: GameRecord, points: dict[str, float]) -> None:
    names = game.names
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


def _print_heard(game: ScheduledGame, record: HeardRecord, room: int) -> int:
    """Print what bots printed, at most `room` lines; return how much room is left."""
    for ply, lines in sorted(record.heard.items()):
        bot = game.names[(ply - 1) % 2]
        for line in lines if len(lines) <= room else ():
            click.echo(f"          ply {ply:>2} {bot}: {line}")
        if room < len(lines):
            if room >= 0:
                click.echo("          more that bots printed is left out; --openings 1 shows all")
            return -1
        room -= len(lines)
    return room


def _print_output(bot: str, record: GameRecord) -> None:
    lines = plain_lines(record.output.strip("\n"), OUTPUT_WIDTH)[-OUTPUT_LINES:]
    if lines:
        click.echo(f"          end of the output of {bot}:")
    for line in lines:
        click.echo(f"            {line}")
