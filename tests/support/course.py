"""Arena's course modules, imported by the names that bots use."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.interfaces.contract import COURSES, course_modules
from arena.rules import Position, Ruleset
from support.positions import random_position

Import = Callable[[str], Any]


def imported(monkeypatch: pytest.MonkeyPatch, interface: str) -> Iterator[Import]:
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(COURSES / interface))
        for name in course_modules(interface):
            patch.delitem(sys.modules, name, raising=False)
        yield importlib.import_module
        for name in course_modules(interface):
            sys.modules.pop(name, None)


def random_games(games: int = 60) -> Iterator[Position]:
    """Yield final positions of random games on boards of all shapes, connect 4."""
    chance = random.Random(4)
    for _ in range(games):
        rules = Ruleset(rows=chance.randint(1, 8), columns=chance.randint(1, 8))
        yield random_position(rules, chance)


def answers(monkeypatch: pytest.MonkeyPatch, *given: str) -> None:
    """Let `input` return these texts."""
    texts = iter(given)
    monkeypatch.setattr("builtins.input", lambda _="": next(texts))
