"""Examine a bot: does it play, on which boards, how well and how fast?

The bot plays both sides against `random`, in difficult positions, after short openings, and on
other boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from arena.check.pace import Refusal, clause_against, other_boards, refusal, refuses
from arena.check.situations import Situation, quick_openings, situations
from arena.check.trial import Terms, Trial, Tryout
from arena.game.bot_process import Zygote
from arena.game.limits import SECOND
from arena.game.record import Bot
from arena.rules import Ruleset

SECONDS = 13.0  # Charged seconds for all trials of a bot.
GAME_SECONDS = 2.0  # For one game, which has at least one move.
POSITIONS_SECONDS = 2.0  # For all constructed positions.
GAMES_SECONDS = 1.5  # For all quick games.
QUICK_OPENINGS = 9  # Played from both sides: with the first two games, 20 in total.
BOARDS_SECONDS = 1.0  # For all other boards.
BOARD_MOVES = 8  # Most moves on each other board.

# Games needed to call a bot weak, and its largest share of points. A bot that wins nine of ten
# games gets no more than this in 20 games with a probability of 1/1000.
ENOUGH_GAMES, WEAK_SHARE = 8, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherBoard:
    rules: Ruleset
    refused: str | None = None
    """Why its interface cannot play on this board, as a clause."""

    trial: Trial | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Results of games against `random`; losses include faults."""

    wins: int
    draws: int
    losses: int
    faults: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, kw_only=True)
class Examination:
    """The results of one bot's trials."""

    refused: Refusal | None = None
    """Why the bot is refused, see `refusal`."""

    games: tuple[Trial, ...] = ()
    """The bot as player 0, then 1, on the contest's board.

    Both may be missing if the interface does not support the board, the second if time ran out.
    """

    positions: tuple[tuple[Situation, Trial], ...] = ()
    """One move in each tried position, out of `positions_in_all`."""

    positions_in_all: int = 0
    quick_games: tuple[Trial, ...] = ()
    """More games against `random`, after short openings."""

    boards: tuple[OtherBoard, ...] = ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials on the contest's board, in order."""
        return (*self.games, *(trial for _, trial in self.positions), *self.quick_games)

    @property
    def slow(self) -> Trial | None:
        """The trial that was stopped before the contest's limit, or None."""
        return next((trial for trial in self.trials if trial.slow), None)

    @cached_property
    def failures(self) -> Mapping[str, list[Trial]]:
        """Trials on the contest's board with a fault, by the fault's sentence."""
        found: dict[str, list[Trial]] = {}
        for trial in self.trials:
            if trial.is_fault:
                found.setdefault(trial.sentence, []).append(trial)
        if self.refused and self.refused.trial:
            found.setdefault(self.refused.trial.sentence, [self.refused.trial])
        return found

    @cached_property
    def against_random(self) -> Score:
        played = [game for game in (*self.games, *self.quick_games) if game.is_played]
        wins = sum(game.won is True for game in played)
        losses = sum(game.won is False for game in played)
        faults = sum(game.is_fault for game in played)
        draws = len(played) - wins - losses
        return Score(wins=wins, draws=draws, losses=losses, faults=faults)

    @property
    def is_weak(self) -> bool:
        """Whether the bot searches but hardly beats `random`."""
        counts = [count for trial in self.trials for count in trial.nodes]
        score = self.against_random
        points = score.wins + score.draws / 2
        searches = bool(counts) and max(counts) > 1
        return searches and score.games >= ENOUGH_GAMES and points <= WEAK_SHARE * score.games


def shortest(trials: Sequence[Trial]) -> Trial:
    return min(trials, key=lambda trial: len(trial.moves))


def examine(zygote: Zygote, bot: Bot, terms: Terms) -> Examination:
    """Try a bot for SECONDS, or until it makes Arena wait too long.

    Returns a bot's faults and raises none. A bot that cannot be loaded plays no games.
    """
    if bot.problem is not None:
        return Examination()
    rules = terms.rules
    why = refuses(bot, rules)
    with Tryout(zygote, bot, terms, SECONDS) as tryout:
        if why is not None:
            boards = tuple(_boards(tryout, rules))
            return Examination(refused=Refusal(reason=why), boards=boards)
        shown = _on_its_board(tryout, rules, terms.seed)
        limit = BOARDS_SECONDS * SECOND
        is_slow = any(trial.ran_out or trial.first_ns > limit for trial in shown.trials)
        boards = tuple(_boards(tryout, rules, spared=is_slow))
    if not is_slow:
        shown = replace(shown, refused=refusal(zygote, bot, terms))
    return replace(shown, boards=boards)


def _on_its_board(tryout: Tryout, rules: Ruleset, seed: int) -> Examination:
    games: list[Trial] = []
    for seat in range(2):
        games.append(tryout.trial(rules, seat, rules.cells, GAME_SECONDS, printed=True))
        if games[-1].ran_out:
            return Examination(games=tuple(games))
    if not any(trial.answers for trial in games):
        return Examination(games=tuple(games))
    everywhere = situations(rules)
    moves = ((situation.seat, 1, situation.moves) for situation in everywhere)
    tried = _trials(tryout, rules, POSITIONS_SECONDS, moves)
    positions = tuple(zip(everywhere, tried, strict=False))
    quick: tuple[Trial, ...] = ()
    if all(trial.is_played for trial in games) and not any(t.ran_out for _, t in positions):
        openings = quick_openings(rules, seed, QUICK_OPENINGS)
        sides = ((seat, rules.cells, opening) for opening in openings for seat in range(2))
        quick = tuple(_trials(tryout, rules, GAMES_SECONDS, sides))
    return Examination(
        games=tuple(games),
        positions=positions,
        positions_in_all=len(everywhere),
        quick_games=quick,
    )


def _trials(
    tryout: Tryout,
    rules: Ruleset,
    seconds: float,
    games: Iterable[tuple[int, int, tuple[int, ...]]],
) -> Iterator[Trial]:
    """Yield trials for at most `seconds`. `games` are (seat, most moves, opening)."""
    enough = tryout.seconds_left - seconds
    for seat, moves, opening in games:
        left = tryout.seconds_left - enough
        if tryout.is_spent or left <= 0:
            return
        trial = tryout.trial(rules, seat, moves, left, opening)
        yield trial
        if trial.ran_out:
            return


def _boards(tryout: Tryout, rules: Ruleset, *, spared: bool = False) -> Iterator[OtherBoard]:
    enough = tryout.seconds_left - BOARDS_SECONDS
    if not spared:
        tryout.hurry(BOARDS_SECONDS)
    for board in other_boards(rules):
        refused = clause_against(tryout.bot, board)
        if refused is not None or spared or tryout.is_spent or tryout.seconds_left <= enough:
            yield OtherBoard(rules=board, refused=refused)
            continue
        trial = tryout.trial(board, 0, BOARD_MOVES, BOARDS_SECONDS)
        spared = trial.ran_out
        yield OtherBoard(rules=board, trial=trial)
