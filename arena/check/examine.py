"""Trying a bot before a contest: does it play, on which boards, how well and how fast.

It plays `random` from both sides, moves in positions in which bots often fail, plays quick games
for a score, and makes a few moves on other boards. One budget of seconds holds for all of it.
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
from arena.game.verdict import Verdict
from arena.rules import Ruleset

SECONDS = 13.0
"""Charged seconds that a bot may take for all its trials."""

GAME_SECONDS = 2.0
"""Seconds that it may take for a game before it has shown enough; it always makes a move."""

POSITIONS_SECONDS = 2.0
"""Seconds that it may take for the constructed positions, all together."""

GAMES_SECONDS = 1.5
"""Seconds that it may take for the quick games, all together."""

QUICK_OPENINGS = 9
"""Openings of quick games, each played from both sides: with the first two games that makes 20."""

MOST_AGAIN = 4
"""Games in which it searched too long that are tried again with a smaller depth."""

TASTE_SECONDS = 0.5
"""Seconds that it may take for a game with a smaller depth before it has shown enough."""

BOARDS_SECONDS = 1.0
"""Seconds that it may take for other boards, all together."""

BOARD_MOVES = 8
"""The most moves that it makes on each of them."""

SEARCHING = frozenset({Verdict.NODES, Verdict.TIMEOUT, Verdict.MEMORY})
"""Faults of a search that goes too deep."""

ENOUGH_GAMES, WEAK_SHARE = 8, 0.6
"""Games that are enough to tell something about a bot, and the share of their points that a search
that works exceeds: of 20 games, hardly one in a thousand bots that win nine of ten gets no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherBoard:
    """A board beside the contest's own, and how a bot gets on with it."""

    rules: Ruleset
    """The contest's rules on that board."""

    refused: str | None = None
    """The reason, a clause, for which no bot of its kind can play on it."""

    trial: Trial | None = None
    """A few moves on it; None if they were not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The results of games against `random`."""

    wins: int
    """Games that the bot won."""

    draws: int
    """Games that nobody won."""

    losses: int
    """Games that it lost, by faults too."""

    faults: int
    """Games that it lost by a fault."""

    @property
    def games(self) -> int:
        """Games that were played to their end."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, kw_only=True)
class Examination:
    """The trials of one bot."""

    refused: Refusal | None = None
    """Its refusal on the contest's board, where that is the board's doing, see `refusal`."""

    games: tuple[Trial, ...] = ()
    """Its games on the contest's board, as player 0 and then as player 1; not the second if it ran
    out of time in the first, none if no bot of its kind can play there."""

    positions: tuple[tuple[Situation, Trial], ...] = ()
    """A move in each of the constructed positions, as far as it was tried."""

    positions_in_all: int = 0
    """The number of positions that there are to try."""

    quick_games: tuple[Trial, ...] = ()
    """More games against the same opponent, from short openings."""

    boards: tuple[OtherBoard, ...] = ()
    """Other boards."""

    less_deep: int | None = None
    """The largest smaller depth with which it plays, where it searched too long with its own."""

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All that it played on the contest's board, in that order."""
        return (*self.games, *(trial for _, trial in self.positions), *self.quick_games)

    @property
    def slow(self) -> Trial | None:
        """The trial that was ended though a contest would have waited on, or None."""
        return next((trial for trial in self.trials if trial.slow), None)

    @cached_property
    def failures(self) -> Mapping[str, list[Trial]]:
        """The trials on the contest's board in which it failed, by what it did."""
        found: dict[str, list[Trial]] = {}
        for trial in self.trials:
            if trial.is_fault:
                found.setdefault(trial.sentence, []).append(trial)
        if self.refused and self.refused.trial:
            found.setdefault(self.refused.trial.sentence, [self.refused.trial])
        return found

    @cached_property
    def against_random(self) -> Score:
        """The score of its games that were played to their end."""
        played = [game for game in (*self.games, *self.quick_games) if game.is_played]
        wins = sum(game.won is True for game in played)
        losses = sum(game.won is False for game in played)
        faults = sum(game.is_fault for game in played)
        draws = len(played) - wins - losses
        return Score(wins=wins, draws=draws, losses=losses, faults=faults)

    @property
    def is_weak(self) -> bool:
        """True if it searches and does no better against `random` than a bot that does not."""
        counts = [count for trial in self.trials for count in trial.nodes]
        score = self.against_random
        points = score.wins + score.draws / 2
        searches = bool(counts) and max(counts) > 1
        return searches and score.games >= ENOUGH_GAMES and points <= WEAK_SHARE * score.games


def shortest(trials: Sequence[Trial]) -> Trial:
    """Return the one in which something happened with the fewest discs on the board."""
    return min(trials, key=lambda trial: len(trial.moves))


def examine(
    zygote: Zygote, bot: Bot, terms: Terms, depth: Mapping[str, int] | None = None
) -> Examination:
    """Try a bot within SECONDS; whoever is waited for in vain once is not tried any further.

    Never raises for anything the bot does. One that cannot be loaded plays none. `depth` is the
    option that says how deep it looks, with its value, if smaller ones are to be tried.
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
        too_long = [
            trial
            for trial in shown.trials
            if trial.slow or (trial.is_fault and trial.verdict in SEARCHING)
        ]
        if depth is not None and too_long:
            shown = replace(shown, less_deep=_less_deep(tryout, too_long[:MOST_AGAIN], depth))
        is_slow = any(
            trial.ran_out or trial.first_ns > BOARDS_SECONDS * SECOND for trial in shown.trials
        )
        boards = tuple(_boards(tryout, rules, spared=is_slow))
    if not is_slow:
        shown = replace(shown, refused=refusal(zygote, bot, terms))
    return replace(shown, boards=boards)


def _on_its_board(tryout: Tryout, rules: Ruleset, seed: int) -> Examination:
    """Games from both sides; then, of one that can move, positions and quick games."""
    games: list[Trial] = []
    for seat in range(2):
        games.append(tryout.trial(rules, seat, rules.cells, GAME_SECONDS, printed=True))
        if games[-1].ran_out:
            return Examination(games=tuple(games))
    if not any(trial.answers for trial in games):
        return Examination(games=tuple(games))
    everywhere = situations(rules)
    moves = ((situation.seat, 1, situation.moves) for situation in everywhere)
    positions = tuple(
        zip(everywhere, _trials(tryout, rules, POSITIONS_SECONDS, moves), strict=False)
    )
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
    """Trials of so many seconds in all: each a seat, the most moves in it, and an opening."""
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
    """A few moves on each of the other boards, until the time for them is used."""
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


def _less_deep(tryout: Tryout, too_long: Sequence[Trial], depth: Mapping[str, int]) -> int | None:
    """The largest smaller depth at which the bot plays where it searched too long, or None."""
    ((option, value),) = depth.items()
    for less in range(value - 1, 0, -1):
        if tryout.is_spent:
            return None
        with tryout.again(option, less) as tryout:
            games = (
                tryout.trial(
                    trial.rules, trial.seat, trial.rules.cells, TASTE_SECONDS, trial.opening
                )
                for trial in too_long
            )
            if not any(game.is_fault or game.slow for game in games):
                return less
    return None
