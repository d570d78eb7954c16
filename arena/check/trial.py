"""Trials: short games that show what a bot does, with a budget of seconds for all of them.

Everything that it does is judged as in any game; only, a trial ends early once the bot has shown
enough, and a move that takes too long for a check is not waited for.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from arena.common.errors import EnoughSeenError
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import SECOND, Limits
from arena.game.play import play_to_fault
from arena.game.player import Answer, Fault, Player, RandomPlayer
from arena.game.record import Bot, GameKey
from arena.game.verdict import Verdict
from arena.rules import Ruleset

PATIENCE_SECONDS = 10.0
"""The longest wait for a bot that may take longer, to be loaded or to move."""

LEAST_SECONDS = 0.1
"""The shortest wait for it."""

SPARE = 2
"""Multiple of its slowest load and move that a bot must have left for another trial."""


class Terms(NamedTuple):
    """The same for all bots that are tried together."""

    sparring: Bot
    """The house player `random`, as keys of games name it; its moves are made here."""

    rules: Ruleset
    """The contest's rules."""

    limits: Limits
    """The contest's limits."""

    seed: int
    """The contest's seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One short game of a bot."""

    rules: Ruleset
    """Its rules."""

    seat: int
    """0 if the bot had the first disc, else 1."""

    verdict: Verdict | None
    """The end of the game; None if it was cut short, as the bot had shown enough or was slow."""

    won: bool | None
    """True if the bot won; None for a draw and for a game that was cut short."""

    reason: str
    """One sentence about the end; a fault's begins with what the bot did. Empty if cut short."""

    sentence: str
    """The same without the ply, so that games that ended alike have it in common."""

    slow: str
    """The predicate of a sentence if the bot took longer than it was waited for and less than its
    limit; else empty."""

    opening: tuple[int, ...]
    """Columns played before the bot was asked."""

    moves: tuple[int, ...]
    """Every legal move from the empty board to the end; of a game cut short only the opening."""

    answers: tuple[int, ...]
    """The columns that the bot answered, legal or not."""

    load_ns: int
    """Charged time of loading the bot."""

    charged_ns: tuple[int, ...]
    """Charged time of each of its answers, a fault's included."""

    nodes: tuple[int, ...]
    """Nodes of each of them; -1 where they cannot be counted."""

    output: str = ""
    """The last of what it printed, if that was asked for, it failed or it was slow."""

    seated: str = ""
    """Its own and the course's modules with which it plays, as its process says; or empty."""

    @property
    def is_fault(self) -> bool:
        """True if the bot broke a rule."""
        return self.verdict is not None and self.verdict.is_fault and not self.won

    @property
    def ran_out(self) -> bool:
        """True if it was waited for in vain: it was slow, or ran out of time."""
        return bool(self.slow) or (self.is_fault and self.verdict is Verdict.TIMEOUT)

    @property
    def is_played(self) -> bool:
        """True if the game was played to its end, a fault's included."""
        return self.verdict is not None

    @property
    def first_ns(self) -> int:
        """Time that it was charged by the end of its first move."""
        return self.load_ns + sum(self.charged_ns[:1])

    @property
    def spent_ns(self) -> int:
        """All time that it was charged."""
        return self.load_ns + sum(self.charged_ns)


class Tryout:
    """A bot on trial and its process. A context manager."""

    def __init__(self, zygote: Zygote, bot: Bot, terms: Terms, seconds: float) -> None:
        """The bot has that many charged seconds for all of its trials."""
        self.bot = bot
        self.trials: list[Trial] = []
        """Its trials so far."""
        self._zygote = zygote
        self._terms = terms
        self._left_ns = round(seconds * SECOND)
        self._slowest_ns = 0
        self._patience = min(seconds, PATIENCE_SECONDS)
        self._subject = BotPlayer(zygote, bot, _within(terms.limits, self._patience))

    def __enter__(self) -> Tryout:
        return self

    def __exit__(self, *_: object) -> None:
        self._subject.dismiss()

    def again(self, option: str, value: object) -> Tryout:
        """The bot built with another value of an option, on trial for the seconds that are left."""
        point = self.bot.entry_point
        point = replace(point, options={**point.options, option: value})
        bot = replace(self.bot, entry_point=point)
        return Tryout(self._zygote, bot, self._terms, self.seconds_left)

    def hurry(self, seconds: float) -> None:
        """Wait for the bot no longer than that from now on."""
        if seconds < self._patience:
            self._patience = seconds
            self._subject.dismiss()
            self._subject = BotPlayer(self._zygote, self.bot, _within(self._terms.limits, seconds))

    @property
    def is_spent(self) -> bool:
        """True if too little is left for another trial of a bot that takes as long as it did."""
        return self._left_ns <= SPARE * self._slowest_ns

    @property
    def seconds_left(self) -> float:
        """Charged seconds that the bot still has."""
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
        """A game with the bot in that seat, until it has made so many moves or used its time.

        It makes a first move in any case. With `printed` the record has what it printed, even if
        it did not fail; its process is ended to have that.
        """
        self.hurry(max(round(self.seconds_left, 1), LEAST_SECONDS))
        watched = _Watched(self._subject, moves, seconds)
        bots: list[Bot] = [self.bot, self._terms.sparring]
        is_asked_once = moves == 1 and len(opening) % 2 == seat
        players: list[Player] = [watched, _Passer() if is_asked_once else RandomPlayer()]
        if seat == 1:
            bots, players = bots[::-1], players[::-1]
        key = GameKey(
            rules=rules,
            limits=self._terms.limits,
            opening=opening,
            first=bots[0],
            second=bots[1],
            seed=self._terms.seed,
        )
        record = fault = None
        with suppress(EnoughSeenError):
            record, fault = play_to_fault(key, *players)
        output = self._subject.dismiss() if printed else ""
        self._left_ns -= watched.spent_before_ns + watched.spent_ns
        self._slowest_ns = max(
            self._slowest_ns, watched.load_ns + max(watched.charged_ns, default=0)
        )
        slow = self._is_slow(watched)
        ended = None if slow else record
        trial = Trial(
            rules=rules,
            seat=seat,
            verdict=ended.verdict if ended else None,
            won=ended.winner == seat if ended and ended.winner is not None else None,
            reason=ended.reason if ended else "",
            sentence="" if ended is None else fault.reason if fault else ended.reason,
            slow=watched.fault.reason if watched.fault and slow else "",
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

    def _is_slow(self, watched: _Watched) -> bool:
        """Return True if the bot took longer than it was waited for and less than its limit."""
        if watched.fault is None or watched.fault.verdict is not Verdict.TIMEOUT:
            return False
        return watched.fault.charged_ns <= self.allowed(len(watched.charged_ns)) * SECOND

    def allowed(self, move: int) -> float:
        """The contest's limit for the bot's move of that number, 0 for its load; in seconds."""
        limits = self.bot.own(self._terms.limits)
        if move == 0:
            return limits.load_seconds
        return limits.move_seconds + (limits.first_move_seconds if move == 1 else 0.0)


def _within(limits: Limits, seconds: float) -> Limits:
    """The limits, none of them longer than that."""
    move = min(limits.move_seconds, seconds)
    return replace(
        limits,
        load_seconds=min(limits.load_seconds, seconds),
        move_seconds=move,
        first_move_seconds=min(limits.first_move_seconds, seconds - move),
    )


class _Passer:
    """The opponent of a bot that is to make one move: it ends the game instead of moving."""

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Do nothing."""

    def ask(self, seen: int) -> Answer | Fault:
        """Raise EnoughSeenError."""
        raise EnoughSeenError

    def dismiss(self) -> str:
        """Do nothing; it has printed nothing."""
        return ""


class _Watched:
    """A bot whose answers are noted, and which leaves the game once it has shown enough."""

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
        """All time that it was charged in this game."""
        return self.load_ns + sum(self.charged_ns)

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Load it; a second time if the game is played once more, of which nothing is kept."""
        self.spent_before_ns += self.spent_ns
        for noted in (self.answers, self.charged_ns, self.nodes):
            noted.clear()
        self.fault = fault = self._player.sit(player, rules, opening, seed)
        self.load_ns = fault.charged_ns if fault else self._player.start_ns
        return fault

    def ask(self, seen: int) -> Answer | Fault:
        """Ask it.

        Raises EnoughSeenError instead if it has made its moves, or used up its time by one.
        """
        if len(self.charged_ns) >= self._moves or (
            self.charged_ns and self.spent_ns > self._enough_ns
        ):
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
        """Take leave; returns the last of what it printed."""
        return self._player.dismiss()
