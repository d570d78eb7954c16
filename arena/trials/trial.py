"""Trials: short games that show how a bot plays, within a budget of seconds.

Trials are judged like any game, but end early when the bot has shown enough or is too slow.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

from arena.common.errors import EnoughSeenError
from arena.game.bot_player import BotPlayer
from arena.game.limits import SECOND, Limits
from arena.game.play import play_to_fault
from arena.game.player import Answer, Fault, Player, RandomPlayer
from arena.game.record import Bot, GameKey
from arena.game.starter import Starter
from arena.game.verdict import Verdict
from arena.rules import Ruleset

PATIENCE_SECONDS = 10.0  # Longest wait for a load or move.
LIMIT_SECONDS = 13.0  # The check waits out a contest's limit for a first move up to this.
LEAST_SECONDS = 0.1  # Shortest wait.
SPARE = 2  # Another trial needs time for this number of the slowest loads and moves.


class Terms(NamedTuple):
    rules: Ruleset
    limits: Limits
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One short game of a bot. All times are charged times."""

    rules: Ruleset
    seat: int
    """0 if the bot had the first disc, else 1."""

    verdict: Verdict | None
    """None if the game was cut short, and so is `won`."""

    won: bool | None
    reason: str
    """A sentence on the end, which starts with a fault's cause; empty if cut short."""

    sentence: str
    """`reason` without the ply: equal for games that ended alike."""

    slow: str
    """The rest of a sentence, if the bot was too slow for the trial but not for the contest."""

    opening: tuple[int, ...]
    moves: tuple[int, ...]
    """The opening and all legal moves; only the opening if cut short."""

    answers: tuple[int, ...]
    """The bot's columns, legal or not."""

    load_ns: int
    charged_ns: tuple[int, ...]
    """Time of each answer, and of a fault."""

    nodes: tuple[int, ...]
    """Nodes of each answer, -1 if not counted."""

    output: str = ""
    """The last printed text, if requested or if the bot failed or was slow."""

    seated: str = ""
    """How the bot was seated, like `sees its own board, board.Board`; may be empty."""

    @property
    def is_fault(self) -> bool:
        return self.verdict is not None and self.verdict.is_fault and not self.won

    @property
    def ran_out(self) -> bool:
        """Whether the bot was too slow for the trial or the contest."""
        return bool(self.slow) or (self.is_fault and self.verdict is Verdict.TIMEOUT)

    @property
    def is_played(self) -> bool:
        return self.verdict is not None

    @property
    def first_ns(self) -> int:
        return self.load_ns + sum(self.charged_ns[:1])

    @property
    def spent_ns(self) -> int:
        return self.load_ns + sum(self.charged_ns)


class Tryout:
    """A bot and its process during its trials; a context manager."""

    def __init__(self, starter: Starter, bot: Bot, terms: Terms, seconds: float) -> None:
        """Prepare trials with `seconds` of charged time in all."""
        self.bot = bot
        self.trials: list[Trial] = []
        self._starter = starter
        self._terms = terms
        self._left_ns = round(seconds * SECOND)
        self._slowest_ns = 0
        limit = self.allowed(1) if self.allowed(1) <= LIMIT_SECONDS else 0.0
        self._patience = min(seconds, max(PATIENCE_SECONDS, limit))
        self._subject = BotPlayer(starter, bot, _shortened(terms.limits, self._patience))

    def __enter__(self) -> Tryout:
        return self

    def __exit__(self, *_: object) -> None:
        self._subject.dismiss()

    def hurry(self, seconds: float) -> None:
        if seconds < self._patience:
            self._patience = seconds
            self._subject.dismiss()
            self._subject = BotPlayer(
                self._starter, self.bot, _shortened(self._terms.limits, seconds)
            )

    @property
    def is_spent(self) -> bool:
        """Whether too little time is left for another trial at the bot's pace."""
        return self._left_ns <= SPARE * self._slowest_ns

    @property
    def seconds_left(self) -> float:
        return self._left_ns / SECOND

    def trial(
        self,
        rules: Ruleset,
        seat: int,
        moves: int,
        seconds: float,
        opening: tuple[int, ...] = (),
        *,
        printed: bool = False,
    ) -> Trial:
        """Play a game with the bot in `seat`, until `moves` moves or `seconds` are used.

        The bot always makes a first move. `printed` ends its process to get its output. A trial
        like an earlier one has other random numbers.
        """
        self.hurry(max(round(self.seconds_left, 1), LEAST_SECONDS))
        watched = _Watched(self._subject, moves, seconds)
        is_asked_once = moves == 1 and len(opening) % 2 == seat
        players: list[Player] = [watched, _Stopper() if is_asked_once else RandomPlayer()]
        if seat == 1:
            players = players[::-1]
        tried = [(trial.rules, trial.seat, trial.opening) for trial in self.trials]
        key = GameKey(
            rules=rules,
            limits=self._terms.limits,
            opening=opening,
            first=self.bot,
            second=self.bot,
            seed=self._terms.seed + tried.count((rules, seat, opening)),
        )
        record = fault = None
        with suppress(EnoughSeenError):
            record, fault = play_to_fault(key, *players)
        output = self._subject.dismiss() if printed else ""
        self._left_ns -= watched.spent_before_ns + watched.spent_ns
        slowest = watched.load_ns + max(watched.charged_ns, default=0)
        self._slowest_ns = max(self._slowest_ns, slowest)
        slow = self._slow_fault(watched)
        ended = None if slow else record
        trial = Trial(
            rules=rules,
            seat=seat,
            verdict=ended.verdict if ended else None,
            won=ended.winner == seat if ended and ended.winner is not None else None,
            reason=ended.reason if ended else "",
            sentence="" if ended is None else fault.reason if fault else ended.reason,
            slow=slow.reason if slow else "",
            opening=opening,
            moves=tuple(record.columns) if record else opening,
            answers=tuple(watched.answers),
            load_ns=watched.load_ns,
            charged_ns=tuple(watched.charged_ns),
            nodes=tuple(watched.nodes),
            output=record.output if record and record.output else output,
            seated=self._subject.seated,
        )
        self.trials.append(trial)
        return trial

    def _slow_fault(self, watched: _Watched) -> Fault | None:
        """Return the bot's timeout if the contest would have waited longer, else None."""
        fault = watched.fault
        if fault is None or fault.verdict is not Verdict.TIMEOUT:
            return None
        limit_ns = self.allowed(len(watched.charged_ns)) * SECOND
        return fault if fault.charged_ns <= limit_ns else None

    def allowed(self, move: int) -> float:
        """Return the contest's limit for a move; move 0 is the load."""
        limits = self.bot.own(self._terms.limits)
        if move == 0:
            return limits.load_seconds
        return limits.move_seconds + (limits.first_move_seconds if move == 1 else 0.0)


def _shortened(limits: Limits, seconds: float) -> Limits:
    move = min(limits.move_seconds, seconds)
    return replace(
        limits,
        load_seconds=min(limits.load_seconds, seconds),
        move_seconds=move,
        first_move_seconds=min(limits.first_move_seconds, seconds - move),
    )


class _Stopper(RandomPlayer):
    def ask(self, seen: int) -> NoReturn:
        raise EnoughSeenError


class _Watched:
    """A player that records a bot's answers, and ends the game when it has shown enough."""

    def __init__(self, player: BotPlayer, moves: int, seconds: float) -> None:
        self._player = player
        self._moves = moves
        self._enough_ns = round(seconds * SECOND)
        self.spent_before_ns = 0
        self.load_ns = 0
        self.fault: Fault | None = None
        self.answers: list[int] = []
        self.charged_ns: list[int] = []
        self.nodes: list[int] = []

    @property
    def spent_ns(self) -> int:
        return self.load_ns + sum(self.charged_ns)

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Load the bot; clears the records of an earlier attempt."""
        self.spent_before_ns += self.spent_ns
        for noted in (self.answers, self.charged_ns, self.nodes):
            noted.clear()
        self.fault = fault = self._player.sit(player, rules, opening, seed)
        self.load_ns = fault.charged_ns if fault else self._player.start_ns
        return fault

    def ask(self, seen: int) -> Answer | Fault:
        """Return its answer; EnoughSeenError once it has made its moves or used its time."""
        is_late = self.charged_ns and self.spent_ns > self._enough_ns
        if len(self.charged_ns) >= self._moves or is_late:
            raise EnoughSeenError
        answer = self._player.ask(seen)
        if isinstance(answer, Fault):
            self.fault = answer
            self.charged_ns.append(answer.charged_ns)
            self.nodes.append(answer.nodes)
        else:
            self.answers.append(answer[0])
            self.charged_ns.append(answer[1])
            self.nodes.append(answer[2])
        return answer

    def dismiss(self) -> str:
        return self._player.dismiss()
