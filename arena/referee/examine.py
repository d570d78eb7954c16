"""What a bot shows in a few short games: whether it plays, on which boards, and what it spends.

Everything that it does is judged as in any game; only, a game ends early once the bot has shown
enough, so that one who thinks for long is not waited for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

from arena.interfaces import INTERFACES
from arena.referee.bot_player import SECOND, BotPlayer
from arena.referee.game import play
from arena.referee.player import Answer, Fault, Player
from arena.referee.record import Bot, GameKey, GameRecord
from arena.referee.verdict import Limits, Verdict
from arena.referee.zygote import Zygote
from arena.rules import Ruleset

USUAL_BOARDS = ((6, 7), (8, 8), (7, 8), (5, 6), (4, 4), (10, 10))
"""Rows and columns of boards that courses use, and of some that find out who counts on those."""

GAME_SECONDS = 3.0
"""What a bot may take for a game before it has shown enough; it always makes a first move."""

BOARDS_SECONDS = 3.0
"""What it may take for other boards, all together; one that needs as long to move is spared."""

BOARD_MOVES = 8
"""How many moves it makes on each of them, at most."""

PROBE_MOVES = 4
"""Moves by which a bot shows that it can play on another board."""

PROBE_SECONDS = 1.0
"""What it may take for them; it always makes one."""

PROBING_SECONDS = 30.0
"""What all of them may take; nothing is said of a bot that needs longer."""

OF_A_BOARD = frozenset({Verdict.LOAD_ERROR, Verdict.ERROR, Verdict.ILLEGAL_MOVE, Verdict.CRASH})
"""Faults that a board of another size can cause. That a search takes too long on it, or too many
nodes or too much memory, does not mean that the bot cannot play there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One short game of a bot."""

    rules: Ruleset
    """Its rules."""

    seat: int
    """0 if the bot had the first disc, else 1."""

    verdict: Verdict | None
    """How it ended; None if it was cut short, as the bot had shown enough."""

    won: bool | None
    """Whether the bot won; None for a draw and for a game that was cut short."""

    reason: str
    """One sentence about the end; a fault's begins with what the bot did. Empty if cut short."""

    load_ns: int
    """Charged time of loading the bot."""

    charged_ns: tuple[int, ...]
    """Charged time of each of its answers, a fault's included."""

    nodes: tuple[int, ...]
    """Nodes of each of them; -1 where they cannot be counted."""

    output: str = ""
    """The last of what it printed, if that was asked for or it failed."""

    seated: str = ""
    """Which of its own and of the course's modules it plays with, as its process says; or empty."""

    @property
    def is_fault(self) -> bool:
        """Whether the bot broke a rule."""
        return self.verdict is not None and self.verdict.is_fault and not self.won

    @property
    def sentence(self) -> str:
        """The reason, whatever the ply."""
        return self.reason.rpartition(", at ply ")[0] or self.reason

    @property
    def first_ns(self) -> int:
        """Time that it was charged by the end of its first move."""
        return self.load_ns + sum(self.charged_ns[:1])

    @property
    def spent_ns(self) -> int:
        """All time that it was charged."""
        return self.load_ns + sum(self.charged_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board beside the contest's own, and how a bot gets on with it."""

    rules: Ruleset
    """The contest's rules on that board."""

    refused: str | None = None
    """Why no bot of its kind can play on it, a clause."""

    trial: Trial | None = None
    """A few moves on it; None if they were not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a bot cannot play on a board."""

    reason: str
    """The predicate of a sentence."""

    trial: Trial | None = None
    """A game in which it failed; None if no bot of its kind can play there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What a bot showed."""

    refused: Refusal | None
    """Why it cannot play on the contest's board, where that is the board's doing, see `refusal`."""

    games: tuple[Trial, ...]
    """Its games on the contest's board, as player 1 and then as player 2; not the second if it ran
    out of time in the first, none if no bot of its kind can play there."""

    boards: tuple[Board, ...]
    """Other boards."""


def examine(
    zygote: Zygote, bot: Bot, sparring: Bot, rules: Ruleset, limits: Limits, seed: int
) -> Examination:
    """Have a bot play short games against another from both sides, then on other boards.

    Never raises for anything the bot does. One that cannot be loaded plays none.
    """
    if bot.problem is not None:
        return Examination(refused=None, games=(), boards=())
    with _Ring(zygote, bot, sparring, limits, seed) as ring:
        why = refuses(bot, rules)
        refused = Refusal(reason=why) if why is not None else None
        games: list[Trial] = []
        for seat in range(2) if refused is None else ():
            games.append(ring.trial(rules, seat, rules.cells, GAME_SECONDS, printed=True))
            if games[-1].verdict is Verdict.TIMEOUT:
                break
        quick = not any(game.verdict is Verdict.TIMEOUT for game in games)
        quick &= all(game.first_ns <= BOARDS_SECONDS * SECOND for game in games)
        boards = tuple(_boards(ring, rules, BOARDS_SECONDS if quick else 0.0))
    if refused is None and quick:
        refused = refusal(zygote, bot, sparring, rules, limits, seed)
    return Examination(refused=refused, games=tuple(games), boards=boards)


def refusal(
    zygote: Zygote, bot: Bot, sparring: Bot, rules: Ruleset, limits: Limits, seed: int
) -> Refusal | None:
    """Why a bot cannot play by these rules though it plays on a board of another size.

    That is, from several openings and both sides it fails at its first move by these rules, and on
    the other board never. None if it can, if it fails on every board, if it does not always fail,
    and if it is too slow to tell.
    """
    if (why := refuses(bot, rules)) is not None:
        return Refusal(reason=why)
    if bot.problem is not None:
        return None
    spent_ns = 0
    with _Ring(zygote, bot, sparring, limits, seed) as ring:

        def probes(board: Ruleset, moves: int) -> Iterator[Trial]:
            nonlocal spent_ns
            for opening, seat in product(_openings(board), range(2)):
                if spent_ns > PROBING_SECONDS * SECOND:
                    return
                trial = ring.trial(board, seat, moves, PROBE_SECONDS, opening)
                spent_ns += trial.spent_ns
                yield trial

        failed = None
        for trial in probes(rules, 1):
            if not trial.is_fault or trial.verdict not in OF_A_BOARD:
                return None
            failed = failed or trial
        for board in _other_boards(rules):
            if _clause(bot, board) is not None:
                continue
            if not any(trial.is_fault for trial in probes(board, PROBE_MOVES)):
                if failed is None or spent_ns > PROBING_SECONDS * SECOND:
                    return None
                where = f"{size(rules)}, though it can on {size(board)}"
                return Refusal(reason=f"cannot play on {where}: it {failed.sentence}", trial=failed)
    return None


def _openings(rules: Ruleset) -> list[tuple[int, ...]]:
    """Openings that show a bot the whole board: one disc a column, in all of them or but one.

    Colours alternate, so that there is no line.
    """
    columns = tuple(range(rules.columns))
    middle = rules.columns // 2
    return [columns, columns[1:], columns[:middle] + columns[middle + 1 :]]


def refuses(bot: Bot, rules: Ruleset) -> str | None:
    """Why no bot of its kind can play by these rules, as the predicate of a sentence, or None."""
    clause = _clause(bot, rules)
    return clause and f"cannot play on {rules}: {clause}"


def _clause(bot: Bot, rules: Ruleset) -> str | None:
    """What its kind says against these rules, a clause, or None."""
    kind = INTERFACES.get(bot.interface)
    return kind.refuses(rules) if kind else None


def size(rules: Ruleset) -> str:
    """A board in words, rows first: `6×7`."""
    return f"{rules.rows}×{rules.columns}"


def _other_boards(rules: Ruleset) -> list[Ruleset]:
    """The same game on the usual boards of another size."""
    boards = [replace(rules, rows=rows, columns=columns) for rows, columns in USUAL_BOARDS]
    return [board for board in boards if board != rules]


def _boards(ring: _Ring, rules: Ruleset, seconds: float) -> Iterator[Board]:
    """A few moves on each of the other boards, until so much time is used."""
    spent_ns = 0
    for board in _other_boards(rules):
        refused = _clause(ring.bot, board)
        if refused is not None or spent_ns >= seconds * SECOND:
            yield Board(rules=board, refused=refused)
            continue
        trial = ring.trial(board, 0, BOARD_MOVES, GAME_SECONDS)
        spent_ns += trial.spent_ns
        yield Board(rules=board, trial=trial)


class _Ring:
    """A bot, its sparring partner, and their processes. A context manager."""

    def __init__(self, zygote: Zygote, bot: Bot, sparring: Bot, limits: Limits, seed: int) -> None:
        self.bot = bot
        self._sparring = sparring
        self._limits = limits
        self._seed = seed
        self._subject = BotPlayer(zygote, bot, limits)
        self._partner = BotPlayer(zygote, sparring, limits)

    def __enter__(self) -> _Ring:
        return self

    def __exit__(self, *_: object) -> None:
        self._subject.dismiss()
        self._partner.dismiss()

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

        With `printed` the record has what it printed, even if it did not fail; its process is
        ended to have that.
        """
        bots = (self.bot, self._sparring) if seat == 0 else (self._sparring, self.bot)
        key = GameKey(
            rules=rules,
            limits=self._limits,
            opening=opening,
            first=bots[0],
            second=bots[1],
            seed=self._seed,
        )
        watched = _Watched(self._subject, moves, seconds)
        players: list[Player] = [watched, self._partner]
        first, second = players if seat == 0 else players[::-1]
        record: GameRecord | None = None
        with suppress(_Enough):
            record = play(key, first, second)
        output = self._subject.dismiss() if printed else ""
        return Trial(
            rules=rules,
            seat=seat,
            verdict=record.verdict if record else None,
            won=record.winner == seat if record and record.winner is not None else None,
            reason=record.reason if record else "",
            load_ns=watched.load_ns,
            charged_ns=tuple(watched.charged_ns),
            nodes=tuple(watched.nodes),
            output=record.output if record and record.output else output,
            seated=self._subject.seated,
        )


class _Enough(Exception):
    """The bot has shown enough of how it plays."""


class _Watched:
    """A bot whose answers are noted, and which leaves the game once it has shown enough."""

    def __init__(self, player: BotPlayer, moves: int, seconds: float) -> None:
        self._player = player
        self._moves = moves
        self._patience_ns = round(seconds * SECOND)
        self.load_ns = 0
        self.charged_ns: list[int] = []
        self.nodes: list[int] = []

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Load it."""
        fault = self._player.sit(player, rules, opening, seed)
        self.load_ns = fault.charged_ns if fault else self._player.start_ns
        return fault

    def ask(self, seen: int) -> Answer | Fault:
        """Ask it. Raises _Enough instead if it has made its moves, or used up its time by one."""
        spent_ns = self.load_ns + sum(self.charged_ns)
        if len(self.charged_ns) >= self._moves or (
            self.charged_ns and spent_ns > self._patience_ns
        ):
            raise _Enough
        answer = self._player.ask(seen)
        self.charged_ns.append(answer.charged_ns if isinstance(answer, Fault) else answer[1])
        self.nodes.append(answer.nodes if isinstance(answer, Fault) else answer[2])
        return answer

    def dismiss(self) -> str:
        """Take leave; returns the last of what it printed."""
        return self._player.dismiss()
