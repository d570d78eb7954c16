"""Playing games again: which ones repeat move for move, and why another does not.

A game is played again by its key, each bot in a new process. At the first answer that differs from
the record, the bot that gave it is asked again what it was asked in that game, with its opponent's
moves from the record, a few times. From all these answers follows the cause.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from arena.audit.row_check import contradiction
from arena.common.errors import StartError
from arena.contest.entries import ANOTHER
from arena.contest.retirement import SettledGame
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import SECOND
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.seats import ask_again
from arena.game.verdict import Verdict
from arena.intake.files import holds
from arena.playing.driver import Batch, Driver, LaneExecutor, given_up_lines
from arena.playing.lanes import play_batch, require_files, with_zygote
from arena.settings.contest import ScheduledGame

TRIES = 3
"""Times that a bot is asked again whose answer differs, at most."""

NEAR = 0.5
"""Share of a time limit from which on an answer may miss it on another day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGiven:
    """One answer of a bot in a game, or the end of the game in its place."""

    ply: int
    """The ply at which it was given, from 1; 0 for being loaded."""

    column: int | None = None
    """The column; None for a fault, for being loaded, and where the game had ended."""

    charged_ns: int | None = None
    """Charged time in nanoseconds; None where none is kept."""

    nodes: int = -1
    """Nodes; -1 if they cannot be counted."""

    verdict: Verdict | None = None
    """The fault, or how the game had ended; None for a move, and for a bot that was loaded."""

    reason: str = ""
    """The sentence that belongs to the verdict."""

    @property
    def choice(self) -> tuple[int, int | None, Verdict | None]:
        """What was answered, which is the same for equal answers whatever they took."""
        return self.ply, self.column, self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first answer in which a game that was played again differs from its record."""

    ply: int
    """The ply, from 1; 0 if the bot was loaded only once."""

    seat: int | None
    """Seat of the bot that answered; None if no bot can have caused it."""

    before: AnswerGiven
    """The answer in the record."""

    again: AnswerGiven
    """The answer now."""


class Cause(Enum):
    """The cause why a game does not repeat, as the predicate of a sentence about its bot."""

    NOT_DETERMINISTIC = "is not deterministic"
    TIME = "comes near its time limit"
    CHANGED = "repeats now, but not what is recorded"
    RECORD = "has a record that does not follow the rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """A game that was played again."""

    game: ScheduledGame
    """The game."""

    before: GameRecord
    """Its record."""

    again: GameRecord
    """The same game, played again."""

    difference: Difference | None = None
    """The first difference; None if it repeats: the moves, the winner and the verdict."""

    tries: tuple[AnswerGiven, ...] = ()
    """Answers of the bot that differs when it was asked the same again."""

    cause: Cause | None = None
    """The cause of the difference; None if there is none."""

    @property
    def bot(self) -> str | None:
        """Name of the bot whose answer differs; None if there is none."""
        if self.difference is None or self.difference.seat is None:
            return None
        return (self.game.first, self.game.second)[self.difference.seat]

    @property
    def other_nodes(self) -> tuple[str, ...]:
        """Names of the bots that searched other numbers of nodes for the same moves."""
        names = self.game.first, self.game.second
        last = len(self.before.nodes)
        if self.difference is not None:
            last = max(0, self.difference.ply - 1 - self.before.opening_plies)
        both = zip(self.before.nodes[:last], self.again.nodes, strict=False)
        seats = {
            self.before.seat_of_answer(place) for place, (one, two) in enumerate(both) if one != two
        }
        return tuple(dict.fromkeys(names[seat] for seat in sorted(seats)))

    @property
    def limit_ns(self) -> int:
        """The time that was allowed for the answer that differs, in nanoseconds."""
        assert self.difference is not None
        ply, key = self.difference.ply, self.game.key
        limits = key.limits
        if ply == 0:
            return round(limits.load_seconds * SECOND)
        is_first = ply - len(key.opening) <= 2
        return round((limits.move_seconds + is_first * limits.first_move_seconds) * SECOND)

    @property
    def slowest_ns(self) -> int:
        """The most time that an answer took that was in time, of those to the same question."""
        assert self.difference is not None
        answers = (self.difference.before, self.difference.again, *self.tries)
        return max((each.charged_ns or 0 for each in answers if each.verdict is None), default=0)

    @property
    def is_explained(self) -> bool:
        """True if it repeats, or the bot itself is the cause that it does not.

        A time limit is, where the bot came near it.
        """
        if self.cause is Cause.TIME:
            return self.slowest_ns >= NEAR * self.limit_ns
        return self.cause in (None, Cause.NOT_DETERMINISTIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A game to be played again, or the part of one bot in it. It travels to the lanes."""

    key: GameKey
    """The game."""

    seat: int | None = None
    """The seat of the bot to be asked; None for both bots to play."""

    columns: tuple[int, ...] = ()
    """The columns of the record, as far as the bot is to be asked."""

    seed: int | None = None
    """The seed of its random numbers; None for the one that follows from the key."""


def answer(batch: Batch[Question]) -> list[GameRecord]:
    """Play what the first question of a batch asks for. Runs where an executor chooses.

    Raises StorageError if a bot's folder is gone.
    """
    question = batch.items[0]
    if question.seat is None:
        return play_batch(Batch(batch.name, (question.key,)))
    bot = (question.key.first, question.key.second)[question.seat]
    require_files({batch.names.get(bot.identity, bot.content_hash): bot})
    return [with_zygote(_ask, question, question.seat)]


def _ask(zygote: Zygote, question: Question, seat: int) -> GameRecord:
    key = question.key
    with BotPlayer(zygote, (key.first, key.second)[seat], key.limits) as player:
        return ask_again(key, seat, question.columns, player, question.seed)


def first_difference(before: GameRecord, again: GameRecord) -> Difference | None:
    """Return the first answer that differs in two records of a game; None if none does."""
    failed = _failed(before) ^ _failed(again)
    if failed or (_failed(before) and before.verdict is not again.verdict):
        loaded = min(failed or _failed(before))
        one, two = (_loading(record, loaded) for record in (before, again))
        return Difference(ply=0, seat=loaded, before=one, again=two)
    last = max(len(before.columns), len(again.columns))
    for ply in range(before.opening_plies + 1, last + 2):
        one, two = given(before, ply), given(again, ply)
        if one.choice == two.choice and one.column is not None:
            continue
        # at the end of a game nobody is asked: there a record may differ, but no bot
        ended = any(each.column is None and each.charged_ns is None for each in (one, two))
        if one.choice != two.choice or before.winner != again.winner:
            seat = None if ended else (ply - 1) % 2
            return Difference(ply=ply, seat=seat, before=one, again=two)
        break
    return None


def given(record: GameRecord, ply: int) -> AnswerGiven:
    """Return the answer in a record at a ply after its opening, from 1; or how the game ended."""
    place = ply - 1 - record.opening_plies
    spent = record.charged_ns[place] if place < len(record.charged_ns) else None
    nodes = record.nodes[place] if place < len(record.nodes) else -1
    if ply <= len(record.columns):
        column = record.columns[ply - 1]
        return AnswerGiven(ply=ply, column=column, charged_ns=spent, nodes=nodes)
    verdict, reason = record.verdict, record.reason
    return AnswerGiven(ply=ply, charged_ns=spent, nodes=nodes, verdict=verdict, reason=reason)


def _failed(record: GameRecord) -> frozenset[int]:
    if record.charged_ns or not record.verdict.is_fault:
        return frozenset()
    return frozenset((0, 1) if record.loser is None else (record.loser,))


def _loading(record: GameRecord, seat: int) -> AnswerGiven:
    if seat not in _failed(record):
        return AnswerGiven(ply=0)
    return AnswerGiven(ply=0, verdict=record.verdict, reason=record.reason)


def tried(before: GameRecord, difference: Difference, again: GameRecord) -> AnswerGiven:
    """Return what a bot answered that was asked again up to a difference: there, or earlier."""
    assert difference.seat is not None
    if difference.ply == 0 or difference.seat in _failed(again):
        return _loading(again, difference.seat)
    for ply in range(before.opening_plies + 1, difference.ply):
        if (now := given(again, ply)).choice != given(before, ply).choice:
            return now
    return given(again, difference.ply)


def cause_of(difference: Difference, tries: Iterable[AnswerGiven]) -> Cause:
    """Return the cause of a difference from a record that follows the rules."""
    if difference.seat is None:
        return Cause.RECORD
    now = [difference.again, *tries]
    late = {each.choice for each in (difference.before, *now) if each.verdict is Verdict.TIMEOUT}
    all_choices = {each.choice for each in (difference.before, *now)}
    if late and len(all_choices - late) <= 1:
        return Cause.TIME
    if len({each.choice for each in now}) > 1:
        return Cause.NOT_DETERMINISTIC
    return Cause.CHANGED


class Reruns:
    """Games that are played again. Iterate over it to play them."""

    def __init__(
        self,
        games: Iterable[tuple[ScheduledGame, GameRecord]],
        executor: LaneExecutor,
    ) -> None:
        """`games` have keys that differ, each with its record."""
        self._games = {game.key.digest: (game, record) for game, record in games}
        self._driver: Driver[Question, GameRecord] = Driver(executor, answer)
        self._open: dict[str, Rerun] = {}
        self.given_up: dict[str, str] = {}
        """Games that could not be played again, by their digests, with the reason as a clause."""

    def __iter__(self) -> Iterator[Rerun]:
        """Play, and yield each game as soon as it is known whether it repeats, or why not.

        Raises InputError if this machine cannot confine bots, StorageError.
        """
        self._driver.add(_batch(game, Question(key=game.key)) for game, _ in self._games.values())
        for ended in self._driver:
            for question, why in ended.given_up:
                self.given_up[question.key.digest] = why
                self._open.pop(question.key.digest, None)
            for record in ended.results:
                rerun = self._next(record)
                if self._is_clear(rerun):
                    yield self._closed(rerun)

    def not_played(self) -> list[str]:
        """Return what to say of the games that were given up: a line for each reason."""
        return given_up_lines(self.given_up.values(), "played again")

    def _next(self, record: GameRecord) -> Rerun:
        """Return what is known of a game now that this was played."""
        game, before = self._games[record.key]
        if record.key not in self._open:
            difference = first_difference(before, record)
            rerun = Rerun(game=game, before=before, again=record, difference=difference)
        else:
            rerun = self._open[record.key]
            assert rerun.difference is not None
            now = tried(before, rerun.difference, record)
            rerun = replace(rerun, tries=(*rerun.tries, now))
        self._open[record.key] = rerun
        return rerun

    def _is_clear(self, rerun: Rerun) -> bool:
        """Return True if all is known of a game; else have its bot asked once more."""
        difference = rerun.difference
        if difference is None or difference.seat is None or len(rerun.tries) >= TRIES:
            return True
        key, before = rerun.game.key, rerun.before
        if contradiction(before, key):
            return True
        if cause_of(difference, rerun.tries) is Cause.NOT_DETERMINISTIC:
            return True
        columns = tuple(before.columns[: max(difference.ply - 1, before.opening_plies)])
        question = Question(key=key, seat=difference.seat, columns=columns)
        self._driver.rests.append(_batch(rerun.game, question))
        return False

    def _closed(self, rerun: Rerun) -> Rerun:
        del self._open[rerun.game.key.digest]
        if rerun.difference is None:
            return rerun
        if contradiction(rerun.before, rerun.game.key):
            return replace(rerun, cause=Cause.RECORD)
        return replace(rerun, cause=cause_of(rerun.difference, rerun.tries))


def _batch(game: ScheduledGame, question: Question) -> Batch[Question]:
    return Batch(f"{game.first} – {game.second}, again", (question,))


def asked(question: Question, executor: LaneExecutor) -> GameRecord:
    """Ask one bot again, and return its game. Raises StartError if that fails each time."""
    driver: Driver[Question, GameRecord] = Driver(executor, answer)
    driver.add([Batch("a bot, asked again", (question,))])
    for ended in driver:
        for record in ended.results:
            return record
        for _, why in ended.given_up:
            raise StartError(f"{why}, each time")
    raise AssertionError("a question is answered or given up")


def own_difference(before: GameRecord, again: GameRecord, seat: int) -> Difference | None:
    """Return the first answer that differs of a bot that was asked again; None if none does.

    The game may go on otherwise, or end, where the opponent's moves in the record do.
    """
    difference = first_difference(before, again)
    return difference if difference is not None and difference.seat == seat else None


def is_of_another_engine(bot: Bot) -> bool:
    """Return True for a house player with the engine of another version, which is not here."""
    return bot.problem == ANOTHER


def damage(bot: Bot) -> str:
    """Return what is wrong with a contest's copy of a bot, as a predicate; empty if nothing is."""
    folder = Path(bot.root)
    place = f"bots/{folder.name}"
    if not folder.is_dir():
        return f"cannot be played again: its copy {place} is gone"
    if holds(folder, bot.content_hash):
        return ""
    return f"cannot be played again as it was: its copy {place} has been changed"


Played = tuple[ScheduledGame, GameRecord]


def played(games: Iterable[SettledGame]) -> Iterator[Played]:
    """Yield the games that count and were played, each key once."""
    seen: set[str] = set()
    for game, record, is_forfeit in games:
        if not is_forfeit and game.key.digest not in seen:
            seen.add(game.key.digest)
            yield game, record


def sample(games: Iterable[Played], size: int | None, seed: int) -> list[Played]:
    """Draw so many games, in the order of their numbers; None for all of them.

    Games of two bots that do not occur yet are drawn first, then those of one, then any.
    """
    drawn = list(games)
    if size is not None:
        random.Random(seed).shuffle(drawn)
        occurring: set[str] = set()
        chosen: list[Played] = []
        for new in (2, 1, 0):
            left: list[Played] = []
            for each in drawn:
                names = {each[0].first, each[0].second} - occurring
                if len(names) >= new and len(chosen) < size:
                    chosen.append(each)
                    occurring |= names
                else:
                    left.append(each)
            drawn = left
        drawn = chosen
    return sorted(drawn, key=lambda each: each[0].number)
