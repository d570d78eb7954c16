"""`arena ask`: a bot's move in one position, or at each of its turns in a game."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from arena.analysis.analysis import GameAnalysis, PositionAnalysis, analyse, usual_nodes
from arena.analysis.worth import TABLE_BITS, Appraiser, Worth
from arena.cli.debugging import debugged, debugging, in_this_process
from arena.cli.files import MOST_BYTES, OneOf, read_text
from arena.cli.options import RULES, contest_from, game_options, one_bot, runs_bots
from arena.cli.replay import open_games
from arena.cli.screen import NODES, WIDE, Interruption, ready_engine, remark, screen
from arena.common.errors import InputError
from arena.common.text import counted, duration, one_line, plain_lines
from arena.contest.session import Session
from arena.courses.roster import find_submission
from arena.game.bot_player import BotPlayer
from arena.game.debug_player import DebugPlayer
from arena.game.play import NOTHING_SEEN, illegal
from arena.game.player import Answer, Fault
from arena.game.record import Bot, GameRecord
from arena.game.starter import new_starter
from arena.game.verdict import Verdict
from arena.host.protocol import UNMETERED
from arena.intake.submission import Submission
from arena.interfaces import Overrides, begins_empty
from arena.report import replay
from arena.report.game_file import FileGames
from arena.rules import MARKS, Position, Ruleset, draw, parse_game
from arena.rules.picture import parse_picture
from arena.settings.contest import BotEntry, Contest, Schedule

POSITION_NODES = 5_000_000  # Solver's budget for one position: a second or two.
OUTPUT_LINES = 20  # Lines shown of what the bot printed.
WITHOUT_OPENINGS = Schedule(min_plies=0, max_plies=0)  # Some bots cannot play after an opening.


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A game, finished or not, and the terms on which a bot is asked about it."""

    contest: Contest
    game: replay.ShownGame

    seeds: Mapping[int, int] = field(default_factory=dict)
    """Seeds of random numbers by seat, as in the game."""

    overrides: Mapping[str, Overrides] = field(default_factory=dict)
    """The instructor's settings by the bot's name; "" for any name."""

    @property
    def record(self) -> GameRecord:
        return self.game.record

    def position(self, ply: int) -> Position:
        return Position(self.game.rules, self.record.columns[:ply])


class AskedBot:
    def __init__(self, player: BotPlayer | DebugPlayer, bot: Bot, seed: int, name: str) -> None:
        self.name = name
        self._player, self._seed = player, seed
        self._begins_empty = begins_empty(bot.entry_point)

    def move(self, position: Position) -> Answer | Fault:
        """Return its answer in a position that it has not seen before. Raises InputError."""
        if self._begins_empty and position.ply > position.to_move:  # it has moved
            return self._led_to(position)
        return self.begin(position, position.ply)

    def begin(self, position: Position, opening: int) -> Answer | Fault:
        """Return its first answer in a game whose opening has this number of plies."""
        seat, moves = position.to_move, position.moves
        fault: Fault | None = self._player.sit(seat, position.rules, moves[:opening], self._seed)
        seen = moves[-1] if len(moves) > opening else NOTHING_SEEN
        return fault or self._answer(seen, position)

    def go_on(self, position: Position) -> Answer | Fault:
        return self._answer(position.moves[-1], position)

    def printed(self) -> str:
        return self._player.printed() if isinstance(self._player, BotPlayer) else ""

    def _answer(self, seen: int, position: Position) -> Answer | Fault:
        answer: Answer | Fault = self._player.ask(seen)
        if isinstance(answer, Fault) or answer[0] in position.legal():
            return answer
        column, spent, nodes = answer
        return replace(illegal(column, position), charged_ns=spent, nodes=nodes)

    def _led_to(self, position: Position) -> Answer | Fault:
        """Let a bot that is shown no position make its moves from the empty board."""
        answer: Answer | Fault | None = None
        for ply in range(position.to_move, position.ply + 1, 2):
            at = Position(position.rules, position.moves[:ply])
            answer = self.go_on(at) if answer else self.begin(at, 0)
            if isinstance(answer, Fault):
                return replace(answer, ply=ply + 1)
            if ply < position.ply and answer[0] != position.moves[ply]:
                raise InputError(
                    f"{self.name} learns only its opponent's moves, and at ply {ply + 1} it plays "
                    f"column {answer[0]} and not {position.moves[ply]}: it cannot be asked here"
                )
        assert answer is not None
        return answer


@click.command()
@click.argument("bot")
@click.argument("moves", nargs=-1)
@click.option(
    "--load",
    "file",
    metavar="FILE",
    help="The position in a file, - for standard input: a drawn board, a rack, or a game from the "
    "report.",
)
@click.option(
    "--game",
    "played",
    nargs=2,
    metavar="GAMES NUMBER",
    help="Ask about a played game: a contest's folder or a file of games, like games.json, and the "
    "game's number there.",
)
@click.option(
    "--ply",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --game: ask only for the move at this ply, counted from 1.",
)
@click.option(
    "--all-plies", is_flag=True, help="Ask at each turn of the bot in the game, not at its end."
)
@click.option(
    "--side",
    type=OneOf(list(MARKS)),
    help="The bot's side in the game. Default: by its name there; after MOVES the loser's.",
)
@debugging
@game_options
@one_bot
@runs_bots
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
@Interruption("stopped; the same command asks again")
def ask(
    bot: str,
    moves: tuple[str, ...],
    file: str | None,
    played: tuple[str, str] | None,
    ply: int | None,
    all_plies: bool,
    side: str | None,
    debug: bool,
    profile: bool,
    one_bot: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Ask BOT for its move after MOVES, or at each of its turns in a game.

    MOVES are columns from 0, like `3 3 2 4` or `3324`; without MOVES the board is empty. The bot
    runs as in a contest. Its move, time, nodes and output are printed, and what each column is
    worth.

    With --game or --all-plies the bot is asked at each of its turns in a game, and the ply that
    lost the game is named. As long as it repeats its moves it plays on; after another move it is
    loaded again. Exit code 1 if the bot has a fault.

    \b
    Examples:
      arena ask my_bot.py 3 3 4
      arena ask my_bot.py --load board.txt --debug
      arena ask my_bot.py --game dora.json 27
    """
    whole = all_plies or (played is not None and ply is None)
    if ply is not None and (played is None or all_plies):
        raise InputError("--ply: needs --game, and cannot be combined with --all-plies")
    if as_json and (debug or profile):
        raise InputError("--json: leave out --debug and --profile, whose output is for people")
    if sum(map(bool, (moves, file, played))) > 1:
        raise InputError("MOVES, --load FILE or --game GAMES NUMBER: only one of them")
    if played is None:
        asked = _typed(moves, file, options, finished=all_plies)
    else:
        asked = _played(Path(played[0]), played[1], options)
    submission = find_submission(bot, asked.contest.interfaces, one_bot=one_bot)
    name = submission.name
    if debug or profile:
        debugged(submission)
    with Session.throwaway(_contest(asked, submission), (submission,)) as session:
        remark(*session.remarks)
        session.require_boards()
        ready_engine(screen(stderr=True), session.contest.engine)
        last = len(asked.record.columns) if ply is None else ply - 1
        seat = _seat(asked, name, side) if whole else last % 2
        seed = options["seed"] if options["seed"] is not None else asked.seeds.get(seat, 1)
        with _player(session, name, here=debug or profile, profile=profile) as player:
            asked_bot = AskedBot(player, session.bots[name], seed, name)
            if whole:
                return _print_plies(asked_bot, asked, seat, as_json=as_json)
            return _print_move(asked_bot, _open_position(asked, last), as_json=as_json)


def _contest(asked: Asked, submission: Submission) -> Contest:
    known = asked.overrides
    overrides = known.get(submission.name, known.get("", Overrides()))
    if overrides.file not in submission.files:
        overrides = replace(overrides, file=None)
    bots = {submission.name: BotEntry(overrides=overrides)}
    return replace(asked.contest, bots=bots, schedule=WITHOUT_OPENINGS)


@contextmanager
def _player(
    session: Session, name: str, *, here: bool, profile: bool
) -> Iterator[BotPlayer | DebugPlayer]:
    if here:
        with in_this_process(session, name, profile=profile) as player_here:
            yield player_here
        return
    limits = session.contest.limits
    with (
        closing(new_starter()) as starter,
        BotPlayer(starter, session.bots[name], limits, new_process=True) as player,
    ):
        yield player


def _typed(
    moves: tuple[str, ...], file: str | None, options: dict[str, Any], *, finished: bool
) -> Asked:
    contest = contest_from(Contest(), options)
    if file is None:
        position = position_after(moves, contest.rules, 0, finished=finished)
    else:
        position = _position_in(file, contest.rules)
        contest = _on_board_of(Contest(rules=position.rules), file, options)
        if position.is_over and not finished:
            raise InputError(f"{file}: the game is over; add --all-plies to ask about all of it")
    return Asked(contest=contest, game=replay.ShownGame.at(position, (MARKS[0], MARKS[1])))


def position_after(
    words: Iterable[str], rules: Ruleset, first: int, *, finished: bool = False
) -> Position:
    """Return the position after typed columns, which are numbered from `first`.

    Raises InputError, also if the game is over and not `finished`.
    """
    position = Position(rules)
    for word in _columns(words, rules, first):
        column = int(word) - first
        if not 0 <= column < rules.columns:
            last = first + rules.columns - 1
            raise InputError(f"there is no column {word}: columns are {first} to {last}")
        number = position.ply + 1
        if position.is_over:
            raise InputError(f"move {number}, column {word}: the game is over before it")
        if not position.can_play(column):
            raise InputError(f"move {number}, column {word}: the column is full")
        position.play(column)
    if position.is_over and not finished:
        ended = "it is a draw" if position.winner is None else f"{MARKS[position.winner]} has won"
        raise InputError(f"the game is over after move {position.ply}: {ended}")
    return position


def _columns(words: Iterable[str], rules: Ruleset, first: int) -> Iterator[str]:
    for word in " ".join(words).replace(",", " ").split():
        if not (word.isascii() and word.isdecimal()):
            raise InputError(f"{one_line(word, 40)!r} is not a column: expected numbers, as 3 3 2")
        yield from word if first + rules.columns <= 10 else [word]


def _position_in(file: str, rules: Ruleset) -> Position:
    text = sys.stdin.read(MOST_BYTES) if file == "-" else read_text(Path(file))
    try:
        return parse_game(text) if text.startswith("game ") else parse_picture(text, rules)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from None


def _on_board_of(base: Contest, place: str, options: dict[str, Any]) -> Contest:
    contest = contest_from(base, options)
    if contest.rules != base.rules:
        raise InputError(
            f"{place}: a game on {base.rules}; leave out the options about the board: "
            f"{', '.join(RULES)} and preset"
        )
    return contest


def _played(path: Path, word: str, options: dict[str, Any]) -> Asked:
    games = open_games(path)
    if isinstance(games, FileGames):
        game, terms = games.find(word), games.terms
        contest, overrides = Contest(rules=game.rules), {}
        if terms is not None:
            contest = replace(contest, limits=terms.limits, interfaces=terms.own)
            overrides = {"": terms.overrides}
        seeds = {} if game.own is None else {game.own.seat: game.own.seed}
    else:
        key, game = games.played(word)[0].key, games.find(word)
        before = Session.read(path).contest
        contest = Contest(rules=game.rules, limits=key.limits, interfaces=before.interfaces)
        overrides = {name: each.overrides for name, each in before.bots.items()}
        seeds = {seat: key.bot_seed(seat) for seat in (0, 1)}
    contest = _on_board_of(contest, str(path), options)
    return Asked(contest=contest, game=game, seeds=seeds, overrides=overrides)


def _seat(asked: Asked, name: str, side: str | None) -> int:
    if side is not None:
        return MARKS.index(side)
    game = asked.game
    if game.own is not None:
        return game.own.seat
    names = game.names
    if names.count(name) == 1:
        return names.index(name)
    if names == tuple(MARKS):
        seat = game.record.loser if game.is_over else len(game.record.columns) % 2
        if seat is not None:
            return seat
    players = f"{one_line(names[0])} is {MARKS[0]} and {one_line(names[1])} is {MARKS[1]}"
    raise InputError(f"{name}: which side is it? {players}; add --side X or --side O")


def _open_position(asked: Asked, ply: int) -> Position:
    position = asked.position(ply)
    if position.is_over or ply > len(asked.record.columns):
        last = len(asked.record.columns) + asked.record.verdict.is_fault
        raise InputError(f"--ply {ply + 1}: the game has plies 1 to {last}")
    return position


def _appraiser(rules: Ruleset, nodes: int) -> Appraiser:
    ready_engine(screen(stderr=True))
    from arena.engine import Solver
    from arena.engine.opening_values import opening_values

    known = opening_values(rules)
    return Appraiser(rules, nodes, lambda: Solver(rules, table_bits=TABLE_BITS, known=known))


def _as_data(answer: Answer | Fault) -> dict[str, Any]:
    if isinstance(answer, Fault):
        column, spent, nodes = None, answer.charged_ns, answer.nodes
        fault, reason = answer.verdict.name, answer.reason
    else:
        (column, spent, nodes), fault, reason = answer, None, ""
    return {
        "column": column,
        "ms": spent / 1e6,
        "nodes": None if nodes == UNMETERED else nodes,
        "fault": fault,
        "reason": reason,
    }


def _print_move(bot: AskedBot, position: Position, *, as_json: bool) -> int:
    if not as_json:
        click.echo(f"{draw(position)}\n")
    answer = bot.move(position)
    data, printed = _as_data(answer), plain_lines(bot.printed().strip("\n"), WIDE)
    if not as_json:
        nodes = "nodes not counted" if data["nodes"] is None else counted(data["nodes"], "node")
        spent = duration(data["ms"] * 1e6)
        did = data["reason"] or f"plays column {data['column']}: {spent}, {nodes}"
        click.echo(f"{bot.name} ({MARKS[position.to_move]}) {did}")
        _print_output(printed)
        if data["fault"] == Verdict.LOAD_ERROR.name:
            return 1
    appraiser = _appraiser(position.rules, min(POSITION_NODES, usual_nodes(position.rules)))
    worths = appraiser.solved(position) or appraiser.estimated(position)
    there = PositionAnalysis(ply=position.ply, columns=worths)
    words = [
        "full" if worth is None else _worth(worth, position.ply, position.rules) for worth in worths
    ]
    if as_json:
        found = {"moves": position.moves, "to_move": position.to_move + 1, **data}
        found |= {"columns": there.numbers, "worths": words, "best": there.best, "output": printed}
        click.echo(json.dumps(found, indent=2))
        return int(isinstance(answer, Fault))
    click.echo()
    for each, worth in enumerate(words):
        notes = ["best"] * (each in there.best) + [f"{bot.name}'s move"] * (data["column"] == each)
        click.echo(f"column {each:>2}  {worth:<18}  {', '.join(notes)}".rstrip())
    return int(isinstance(answer, Fault))


def _print_output(lines: list[str]) -> None:
    if not any(lines):
        return
    left_out = len(lines) - OUTPUT_LINES
    more = f" ({counted(left_out, 'earlier line')} left out)" if left_out > 0 else ""
    click.echo(f"It printed{more}:")
    for line in lines[-OUTPUT_LINES:]:
        click.echo(f"  {line}")


def _worth(worth: Worth, ply: int, rules: Ruleset) -> str:
    if worth.exact is None:
        return replay.worth_in_words(worth).removeprefix("gives ")
    return replay.value_in_words(worth.exact, ply, rules)


ROW = "{:>3}  {:>4}  {:>4}  {:>9}  {:>10}  {}"
HEADER = ROW.format("ply", "game", "now", "time", "nodes", "what the game's move was worth")


def _print_plies(bot: AskedBot, asked: Asked, seat: int, *, as_json: bool) -> int:
    record, rules = asked.record, asked.game.rules
    analysis = asked.game.analysis or analyse(rules, record, NODES, _appraiser(rules, NODES))
    there = {each.ply: each for each in analysis.positions}
    words = {
        move.ply: replay.judged_in_words(move, rules, analysis.values.get(move.ply))
        for move in analysis.judged(record)
    }
    if not as_json:
        click.echo(f"{bot.name} is {MARKS[seat]} in this game.\n{HEADER}")
    rows: list[dict[str, Any]] = []
    now: dict[int, Answer | Fault] = {}
    printed: list[str] = []
    for ply, answer in _answers(bot, asked, seat):
        now[ply] = answer
        data = _as_data(answer)
        was = record.columns[ply] if ply < len(record.columns) else None
        text = words.get(ply, record.reason if asked.game.is_over else "not made yet")
        if isinstance(answer, Fault):
            text += f"; now it {answer.reason}"
            printed = plain_lines(bot.printed().strip("\n"), WIDE)
        elif answer[0] != was:
            text += f"; now: {_worth(there[ply].worth(answer[0]), ply, rules)}"
        if as_json:
            row = {"ply": ply + 1, "recorded": was, **data, "columns": there[ply].numbers}
            rows.append(row)
            continue
        cells = [was, data["column"], duration(data["ms"] * 1e6), data["nodes"]]
        click.echo(
            ROW.format(ply + 1, *("-" if each is None else each for each in cells), one_line(text))
        )
    lost_at, lost = _where_lost(bot.name, asked.game, analysis, seat, now)
    if as_json:
        click.echo(json.dumps({"side": MARKS[seat], "plies": rows, "lost_at": lost_at}, indent=2))
    else:
        _print_output(printed)
        click.echo()
        if asked.game.is_over:
            click.echo(one_line(replay.outcome(asked.game.names, record)))
        click.echo(one_line(lost))
    return int(any(isinstance(answer, Fault) for answer in now.values()))


def _answers(bot: AskedBot, asked: Asked, seat: int) -> Iterator[tuple[int, Answer | Fault]]:
    """Yield the bot's plies, from 0, each with its answer now."""
    columns, opening = asked.record.columns, asked.record.opening_plies
    begun = follows = False
    for ply in range(opening + (seat - opening) % 2, len(columns) + 1, 2):
        position = asked.position(ply)
        if position.is_over:
            return
        if ply == len(columns) and asked.game.is_over and asked.record.loser != seat:
            return
        if follows:
            answer = bot.go_on(position)
        else:
            answer = bot.move(position) if begun else bot.begin(position, opening)
        begun = True
        yield ply, answer
        follows = ply < len(columns) and not isinstance(answer, Fault) and answer[0] == columns[ply]


def _where_lost(
    name: str,
    game: replay.ShownGame,
    analysis: GameAnalysis,
    seat: int,
    now: Mapping[int, Answer | Fault],
) -> tuple[int | None, str]:
    """Return the ply, from 1, at which the bot lost the game, and a sentence about it."""
    record = game.record
    if not game.is_over or record.loser != seat:
        return None, f"{name} did not lose it." if game.is_over else "The game is not over."
    if record.verdict.is_fault:
        return len(record.columns) + 1, f"{name} lost it by this fault, at the last ply."
    turn = analysis.wrong_turn(record)
    if turn is None:
        return None, f"No single move of {name} lost it: it was behind early, or slipped slowly."
    worth = replay.judged_in_words(turn, game.rules, analysis.values.get(turn.ply)).split(":")[0]
    best = f"column {replay.any_of(turn.position.best)} {replay.best_worth_in_words(turn.position)}"
    text = f"{name} lost it at ply {turn.ply + 1}: column {turn.column} {worth}, but {best}."
    answer = now.get(turn.ply)
    if answer is not None and not isinstance(answer, Fault):
        again = "still plays it" if answer[0] == turn.column else f"now plays column {answer[0]}"
        text += f" It {again}."
    return turn.ply + 1, text
