"""The engine's play is pinned, so games of older contests stay valid."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

from arena.engine import Engine, Solver
from arena.engine.machine_code import PLAY
from arena.intake.house_players import house_player
from arena.rules import Goal, Position, Ruleset
from support.positions import random_position

BOARDS = [
    Ruleset(),
    Ruleset(8, 8),
    Ruleset(goal=Goal.MOST),
    Ruleset(5, 4, 3),
    Ruleset(4, 9, 5, Goal.MOST),
    Ruleset(16, 16, 5),
]

NARROW = [Ruleset(), Ruleset(5, 5), Ruleset(4, 4, goal=Goal.MOST)]


def positions(rules: Ruleset, count: int, least: int = 0) -> Iterator[Position]:
    """Yield positions of random games, after `least` plies or more if possible."""
    rng = random.Random(f"{rules} {count}")
    for _ in range(count):
        plies = rng.randint(least, rules.cells - 2)
        position = random_position(rules, rng, plies)
        if position.is_over:
            position.undo()
        yield position


def play() -> str:
    """Return a digest of the engine's answers to fixed questions."""
    answers: list[object] = []
    for rules in BOARDS:
        engines = (Engine(rules), Engine.plain(rules, table=True))
        for position in positions(rules, 12):
            for engine in engines:
                for nodes in (200, 10_000):
                    found = engine.search(position, nodes=nodes)
                    answers.append((found.column, found.score, found.depth, found.nodes))
                found = engine.search(position, depth=3)
                answers.append((found.column, found.score, found.line, found.nodes))
    for rules in NARROW:
        solver = Solver(rules, table_bits=16)
        for position in positions(rules, 12, least=20 if rules == Ruleset() else 8):
            answers.append((solver.value(position), solver.nodes))
            answers.append((solver.best(position), solver.nodes))
            answers.append((solver.solve(position).columns, solver.nodes))
    return hashlib.sha256(repr(answers).encode()).hexdigest()[:16]


def test_the_version_of_the_engines_play_is_another_if_its_moves_are() -> None:
    known = {"1cf4797df6655bf9": "2268d74bba0ea87f"}
    assert {PLAY: play()} == known, "raise arena.engine.machine_code.PLAY, and pin its answers here"


def test_the_reference_is_the_one_of_older_contests() -> None:
    # another file or another engine, and older contests play all of its games again
    player = house_player("reference")
    assert (player.content_hash, player.entry_point.engine) == (
        "626239abb8256346",
        "1cf4797df6655bf9",
    )
