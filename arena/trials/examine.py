"""Examine a bot: does it play, on which boards, how well and how fast?

The bot plays both sides against `random`, in difficult positions, after short openings, and on
other boards.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import cycle, islice

from arena.game.limits import SECOND
from arena.game.record import Bot
from arena.game.starter import Starter
from arena.interfaces import begins_empty
from arena.rules import Position, Ruleset
from arena.trials.pace import Refusal, clause_against, other_boards, refusal, refuses
from arena.trials.readings import (
    Reading,
    ReadingFit,
    Situation,
    likeliest,
    telling_positions,
    turned,
)
from arena.trials.trial import Terms, Trial, Tryout

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
    refused: Refusal | None = None
    """Why the bot is refused, see `refusal`."""

    games: tuple[Trial, ...] = ()
    """The bot as player 0, then 1, on the contest's board.

    Both may be missing if the interface does not support the board, the second if time ran out.
    """

    positions: tuple[tuple[Situation, Trial], ...] = ()
    """One move in each tried position, out of `positions_in_all`."""

    turned: tuple[tuple[Situation, Trial], ...] = ()
    """The same if its description turns the rows, tried if its moves fit no reading."""

    positions_in_all: int = 0
    quick_games: tuple[Trial, ...] = ()
    """More games against `random`, after short openings."""

    boards: tuple[OtherBoard, ...] = ()

    @property
    def trials(self) -> tuple[Trial, ...]:
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

    @cached_property
    def reading(self) -> ReadingFit | None:
        """How the bot reads the board, if its moves show it."""
        found, turned = _reading(self.positions), _reading(self.turned)
        if found is None and turned is not None and turned.reading is Reading.RIGHT:
            return turned._replace(reading=Reading.UPSIDE_DOWN, right=self.right)
        return found

    @property
    def right(self) -> int:
        """The number of telling positions in which it plays the right column."""
        return sum(t.answers[:1] == (s.columns.get(Reading.RIGHT),) for s, t in self.positions)

    @property
    def is_weak(self) -> bool:
        """Whether the bot searches but hardly beats `random`."""
        counts = [count for trial in self.trials for count in trial.nodes]
        score = self.against_random
        points = score.wins + score.draws / 2
        searches = bool(counts) and max(counts) > 1
        return searches and score.games >= ENOUGH_GAMES and points <= WEAK_SHARE * score.games


def _reading(positions: Sequence[tuple[Situation, Trial]]) -> ReadingFit | None:
    answers = [
        (situation.columns, situation.seat, trial.answers[0] if trial.answers else None)
        for situation, trial in positions
        if not trial.slow
    ]
    return likeliest(answers)


def shortest(trials: Sequence[Trial]) -> Trial:
    return min(trials, key=lambda trial: len(trial.moves))


def examine(starter: Starter, bot: Bot, terms: Terms) -> Examination:
    """Try a bot for SECONDS, or until it makes Arena wait too long; raises no fault."""
    if bot.problem is not None:
        return Examination()
    rules = terms.rules
    why = refuses(bot, rules)
    with Tryout(starter, bot, terms, SECONDS) as tryout:
        if why is not None:
            boards = tuple(_boards(tryout, rules))
            return Examination(refused=Refusal(reason=why), boards=boards)
        shown = _on_its_board(tryout, rules, terms.seed)
        limit = BOARDS_SECONDS * SECOND
        is_slow = any(trial.ran_out or trial.first_ns > limit for trial in shown.trials)
        boards = tuple(_boards(tryout, rules, spared=is_slow))
    if not is_slow:
        shown = replace(shown, refused=refusal(starter, bot, terms))
        if bot.entry_point.description and shown.positions and shown.reading is None:
            shown = replace(shown, turned=_turned(starter, bot, terms))
    return replace(shown, boards=boards)


def _on_its_board(tryout: Tryout, rules: Ruleset, seed: int) -> Examination:
    games: list[Trial] = []
    for seat in range(2):
        games.append(tryout.trial(rules, seat, rules.cells, GAME_SECONDS, printed=True))
        if games[-1].ran_out:
            return Examination(games=tuple(games))
    if not any(trial.answers for trial in games) or begins_empty(tryout.bot.entry_point):
        return Examination(games=tuple(games))
    everywhere = situations(rules)
    is_described = bool(tryout.bot.entry_point.description)
    if is_described:  # first the positions that tell most, on boards with few discs
        everywhere = tuple(sorted(everywhere, key=lambda s: (-len(s.columns), len({*s.moves}))))
    moves = ((situation.seat, 1, situation.moves) for situation in everywhere)
    tried = _trials(tryout, rules, POSITIONS_SECONDS, moves, printed=is_described)
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


def _turned(starter: Starter, bot: Bot, terms: Terms) -> tuple[tuple[Situation, Trial], ...]:
    point = bot.entry_point
    other = replace(bot, entry_point=replace(point, description=turned(point.description)))
    telling = [situation for situation in situations(terms.rules) if situation.columns]
    moves = ((situation.seat, 1, situation.moves) for situation in telling)
    with Tryout(starter, other, terms, POSITIONS_SECONDS) as tryout:
        tried = _trials(tryout, terms.rules, POSITIONS_SECONDS, moves)
        return tuple(zip(telling, tried, strict=False))


def _trials(
    tryout: Tryout,
    rules: Ruleset,
    seconds: float,
    games: Iterable[tuple[int, int, tuple[int, ...]]],
    *,
    printed: bool = False,
) -> Iterator[Trial]:
    """Yield trials for at most `seconds`. `games` are (seat, most moves, opening).

    `printed` keeps what the bot prints in the first.
    """
    enough = tryout.seconds_left - seconds
    for seat, moves, opening in games:
        left = tryout.seconds_left - enough
        if tryout.is_spent or left <= 0:
            return
        trial = tryout.trial(rules, seat, moves, left, opening, printed=printed)
        printed = False
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


# Positions in which bots often fail: full columns, the last cells, lines. All are legal on the
# contest's board; kinds that it does not have are left out.
MOST_DISCS = 4_000  # Of the games that are looked through for them.
LAST_CELLS = 4  # Most free cells of a nearly full board.
QUICK_PLIES = 4  # Plies of the longest opening of a quick game.


@cache
def situations(rules: Ruleset) -> tuple[Situation, ...]:
    """Return the positions of all kinds that a board has, the most useful first."""
    found: dict[tuple[int, ...], Situation] = {}
    crowded = list(_crowded(rules))
    half = len(crowded) // 2
    for situation in (*crowded[:half], *telling_positions(rules), *crowded[half:]):
        found.setdefault(situation.moves, situation)
    return tuple(found.values())


def quick_openings(rules: Ruleset, seed: int, count: int) -> list[tuple[int, ...]]:
    rng = random.Random(seed)
    longest = min(QUICK_PLIES, rules.cells // 4)
    openings = []
    for _ in range(count):
        position = Position(rules)
        for _ in range(rng.randint(0, longest)):
            column = rng.choice(position.legal())
            if not position.wins_at(column, position.to_move):
                position.play(column)
        openings.append(position.moves)
    return openings


def _crowded(rules: Ruleset) -> Iterator[Situation]:
    """Yield positions of each kind and seat; columns fill up in pairs, one of them last."""
    places = {"left": 0, "right": rules.columns - 1, "middle": rules.columns // 2}
    found: dict[tuple[str, int], Situation] = {}
    draw, discs = random.Random(1), 0
    for last in cycle(places.values()):
        position, heights = Position(rules), [0] * rules.columns
        while not position.is_over:
            me, legal = position.to_move, position.legal()
            new = (what for what in _kinds(position, legal, places) if (what, me) not in found)
            for what in islice(new, 1):
                found[what, me] = Situation(what=what, moves=position.moves)
            others = [column for column in legal if column != last] or legal
            quiet = [column for column in others if not position.wins_at(column, me)]
            fitting = [column for column in quiet if (heights[column] + column // 2) % 2 == me]
            if not quiet:
                break
            column = draw.choice(fitting or quiet)
            position.play(column)
            heights[column] += 1
            discs += 1
        if discs > MOST_DISCS or len(found) == 4 * len(places) + LAST_CELLS:
            break
    yield from found.values()


def _kinds(position: Position, legal: list[int], places: Mapping[str, int]) -> Iterator[str]:
    for name, column in places.items():
        if column not in legal:
            yield f"the {name} column is full"
        if legal == [column]:
            yield f"only the {name} column has room"
    if (left := position.rules.cells - position.ply) <= LAST_CELLS:
        yield "one cell is left" if left == 1 else f"{left} cells are left"
