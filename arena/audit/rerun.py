"""Playing games again, and finding why a game is not repeated exactly.

A game is played again by its key, each bot in a new process. The bot that gives the first different
answer is asked a few times more, with the opponent's moves from the record.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from arena.audit.row_check import contradiction
from arena.contest.entries import ANOTHER
from arena.contest.settled import SettledGame
from arena.game.bot_player import BotPlayer
from arena.game.limits import SECOND
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.seats import replay_side
from arena.game.starter import Starter
from arena.game.verdict import Verdict
from arena.intake.files import holds
from arena.playing.batches import play_batch, require_files, with_starter
from arena.playing.driver import Batch, Driver, LaneExecutor, abandoned_lines
from arena.settings.contest import ScheduledGame

TRIES = 3  # A bot is asked again at most this number of times.
NEAR = 0.5  # An answer that takes this share of its time limit may exceed it another day.


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGiven:
    ply: int
    """Counts from 1; 0 for loading."""

    column: int | None = None
    """None for a fault, for loading, and after the end."""

    charged_ns: int | None = None
    nodes: int = -1
    verdict: Verdict | None = None
    reason: str = ""

    @property
    def choice(self) -> tuple[int, int | None, Verdict | None]:
        return self.ply, self.column, self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first answer of a rerun that is not the recorded one."""

    ply: int
    """Counts from 1; 0 if loading the bot ended differently."""

    seat: int | None
    """Seat of the bot; None if no bot can be the cause."""

    before: AnswerGiven
    again: AnswerGiven


class Cause(Enum):
    """The rest of a sentence about the bot."""

    NOT_DETERMINISTIC = "is not deterministic"
    TIME = "comes near its time limit"
    CHANGED = "repeats now, but not what is recorded"
    RECORD = "has a record that does not follow the rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    game: ScheduledGame
    before: GameRecord
    again: GameRecord

    difference: Difference | None = None
    """None if moves, winner and verdict are equal."""

    tries: tuple[AnswerGiven, ...] = ()
    cause: Cause | None = None

    @property
    def bot(self) -> str | None:
        if self.difference is None or self.difference.seat is None:
            return None
        return self.game.names[self.difference.seat]

    @property
    def limit_ns(self) -> int:
        assert self.difference is not None
        ply, key = self.difference.ply, self.game.key
        limits = key.limits
        if ply == 0:
            return round(limits.load_seconds * SECOND)
        is_first = ply - len(key.opening) <= 2
        return round((limits.move_seconds + is_first * limits.first_move_seconds) * SECOND)

    @property
    def slowest_ns(self) -> int:
        assert self.difference is not None
        answers = (self.difference.before, self.difference.again, *self.tries)
        return max((each.charged_ns or 0 for each in answers if each.verdict is None), default=0)

    @property
    def is_explained(self) -> bool:
        """True if nothing differs, a bot itself differs, or it was near its time limit."""
        if self.cause is Cause.TIME:
            return self.slowest_ns >= NEAR * self.limit_ns
        return self.cause in (None, Cause.NOT_DETERMINISTIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A game to play again, or one bot's part of a game. It is sent to lanes."""

    key: GameKey

    seat: int | None = None
    """Seat of the bot to ask; None for the whole game."""

    columns: tuple[int, ...] = ()


def answer(batch: Batch[Question]) -> list[GameRecord]:
    """Play the first question of a batch, on a lane. Raises StorageError."""
    question = batch.items[0]
    if question.seat is None:
        return play_batch(Batch(batch.name, (question.key,)))
    bot = (question.key.first, question.key.second)[question.seat]
    require_files({batch.names.get(bot.identity, bot.content_hash): bot})
    return [with_starter(_ask, question, question.seat)]


def _ask(starter: Starter, question: Question, seat: int) -> GameRecord:
    key = question.key
    with BotPlayer(starter, (key.first, key.second)[seat], key.limits) as player:
        return replay_side(key, seat, question.columns, player)


def first_difference(before: GameRecord, again: GameRecord) -> Difference | None:
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
        # no bot is asked after the end, so the record must be wrong
        ended = any(each.column is None and each.charged_ns is None for each in (one, two))
        if one.choice != two.choice or before.winner != again.winner:
            seat = None if ended else (ply - 1) % 2
            return Difference(ply=ply, seat=seat, before=one, again=two)
        break
    return None


def given(record: GameRecord, ply: int) -> AnswerGiven:
    """Return the answer at a ply (from 1), or after the last answer the game's end."""
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
    """Return the bot's answer at a difference, or an earlier one that differs."""
    assert difference.seat is not None
    if difference.ply == 0 or difference.seat in _failed(again):
        return _loading(again, difference.seat)
    for ply in range(before.opening_plies + 1, difference.ply):
        if (now := given(again, ply)).choice != given(before, ply).choice:
            return now
    return given(again, difference.ply)


def cause_of(difference: Difference, tries: Iterable[AnswerGiven]) -> Cause:
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
    def __init__(
        self, games: Iterable[tuple[ScheduledGame, GameRecord]], executor: LaneExecutor
    ) -> None:
        """Prepare to play these games again; their keys must be different."""
        self._games = {game.key.digest: (game, record) for game, record in games}
        self._driver: Driver[Question, GameRecord] = Driver(executor, answer)
        self._open: dict[str, Rerun] = {}
        self.abandoned: dict[str, str] = {}
        """Reasons (a clause) of abandoned games by key digest."""

    def __iter__(self) -> Iterator[Rerun]:
        """Play, and yield each game when its result and cause are known."""
        self._driver.add(_batch(game, Question(key=game.key)) for game, _ in self._games.values())
        for ended in self._driver:
            for question, why in ended.abandoned:
                self.abandoned[question.key.digest] = why
                self._open.pop(question.key.digest, None)
            for record in ended.results:
                rerun = self._next(record)
                if self._is_clear(rerun):
                    yield self._closed(rerun)

    def not_played(self) -> list[str]:
        return abandoned_lines(self.abandoned.values(), "played again")

    def _next(self, record: GameRecord) -> Rerun:
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


def is_of_another_engine(bot: Bot) -> bool:
    return bot.problem == ANOTHER


def damage(bot: Bot) -> str:
    folder = Path(bot.root)
    place = f"bots/{folder.name}"
    if not folder.is_dir():
        return f"cannot be played again: its copy {place} is missing"
    if holds(folder, bot.content_hash):
        return ""
    return f"cannot be played again as it was: its copy {place} has been changed"


Played = tuple[ScheduledGame, GameRecord]


def played(games: Iterable[SettledGame]) -> Iterator[Played]:
    seen: set[str] = set()
    for game, record, is_forfeit in games:
        if not is_forfeit and game.key.digest not in seen:
            seen.add(game.key.digest)
            yield game, record


def sample(games: Iterable[Played], size: int | None, seed: int) -> list[Played]:
    """Return `size` random games (None: all) by number, bots not drawn yet first."""
    drawn = list(games)
    if size is not None:
        random.Random(seed).shuffle(drawn)
        occurring: set[str] = set()
        chosen: list[Played] = []
        for new in (2, 1, 0):
            left: list[Played] = []
            for each in drawn:
                names = {*each[0].names} - occurring
                if len(names) >= new and len(chosen) < size:
                    chosen.append(each)
                    occurring |= names
                else:
                    left.append(each)
            drawn = left
        drawn = chosen
    return sorted(drawn, key=lambda each: each[0].number)
