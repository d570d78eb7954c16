"""A game's key keeps its digest: journals and bots' seeds depend on it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import pytest

from arena.game.limits import Limits
from arena.game.record import (
    KEYED_LIMITS,
    KEYED_OF_BOT,
    KEYED_OF_ENTRY,
    KEYED_RULES,
    UNKEYED_LIMITS,
    UNKEYED_OF_BOT,
    Bot,
    GameKey,
)
from arena.interfaces import EntryPoint
from arena.rules import RULESETS, Goal, Ruleset
from support.bots import pick_move_in

ALICE = Bot(content_hash="a1", root="/a", entry_point=pick_move_in("a.py"))
BOB = Bot(content_hash="b2", root="/b", entry_point=pick_move_in("b.py"))
KEY = GameKey(rules=Ruleset(), limits=Limits(), opening=(), first=ALICE, second=BOB, seed=1)
OPTIONS = {"depth": 4, "weights": [1, 10, 100]}
EXACT = replace(ALICE, entry_point=pick_move_in("a.py", options=OPTIONS, node_function="value"))
CLASS = replace(ALICE, entry_point=EntryPoint(name="Other"))
FREE = replace(ALICE, has_budget=False)
ELSEWHERE = replace(ALICE, root="/c", problem="empty")
LEVEL = EntryPoint(options={"nodes": 500}, engine="e4")
HOUSE = Bot(content_hash="h3", root="/h", entry_point=LEVEL)
FIVE = Ruleset(rows=9, columns=10, connect=5, goal=Goal.FIRST)
SHORT = Limits(move_seconds=0.5, first_move_seconds=0.0, load_seconds=5.0, nodes=77, memory_mb=256)

# By name: (changes of KEY, digest)
KEYS: dict[str, tuple[dict[str, Any], str]] = {
    "usual": ({}, "cd381070ae90ac95509971e585e34306"),
    "seats swapped": ({"first": BOB, "second": ALICE}, "cb98bf0446ff0765a82665581bff4081"),
    "another seed": ({"seed": 1 << 40}, "ce15e0e3a6736831c12ef46a635d6612"),
    "an opening": ({"opening": (3, 3, 0, 6)}, "2c080c709dfac57c139b8e06f2fd1f62"),
    "8 by 8": ({"rules": RULESETS["cs4100"]}, "5603ee08ab60e3d33c79791c1d2e66d1"),
    "most lines": ({"rules": RULESETS["max"]}, "f64f9dc848da434582f431e1d95c8e79"),
    "connect 5": ({"rules": FIVE}, "e2f48fde05d84c6240e62f225677e9ad"),
    "other limits": ({"limits": SHORT}, "242def49cf6accb20b918fc535d41d73"),
    "no nodes": ({"limits": Limits(nodes=None)}, "c426b96c1ac4a70465a8ec46db08ed71"),
    "nodes for all": ({"limits": Limits(nodes_for_all=True)}, "cd381070ae90ac95509971e585e34306"),
    "another class": ({"first": CLASS}, "08181fcb67255c2d4882eaf474912c01"),
    "options": ({"first": EXACT}, "36859a2f09042e02230b839d45092881"),
    "engine": ({"second": HOUSE}, "f5dd413a00beb0c9deae02d91cbd5a2f"),
    "no budget": ({"first": FREE}, "47fb993b956db64e577b4021d831e37f"),
    "elsewhere": ({"first": ELSEWHERE}, "cd381070ae90ac95509971e585e34306"),
}

SEEDS = [8301163144358694836, 1028947288565716745]


@pytest.mark.parametrize(("changes", "digest"), KEYS.values(), ids=KEYS)
def test_a_key_has_the_digest_that_it_has_always_had(changes: dict[str, Any], digest: str) -> None:
    assert replace(KEY, **changes).digest == digest


def test_a_bot_has_the_seed_that_it_has_always_had() -> None:
    assert [KEY.bot_seed(seat) for seat in (0, 1)] == SEEDS


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterLimits(Limits):
    output_mb: int = 16


@dataclass(frozen=True, slots=True)
class LaterRules(Ruleset):
    gravity: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterEntryPoint(EntryPoint):
    python: int = 3


@dataclass(frozen=True, kw_only=True)
class LaterBot(Bot):
    team: tuple[str, ...] = field(default_factory=tuple)


def later(record: type, of: object, **values: object) -> Any:
    """The record `of` as one with more fields."""
    return record(**{f.name: getattr(of, f.name) for f in fields(of)}, **values)  # type: ignore[arg-type]


def entered(**values: object) -> Bot:
    return replace(ALICE, entry_point=later(LaterEntryPoint, ALICE.entry_point, **values))


@pytest.mark.parametrize(
    ("usual", "changed"),
    [
        ({"limits": LaterLimits()}, {"limits": LaterLimits(output_mb=1)}),
        ({"rules": LaterRules()}, {"rules": LaterRules(gravity=False)}),
        ({"first": later(LaterBot, ALICE)}, {"first": later(LaterBot, ALICE, team=("x",))}),
        ({"first": entered()}, {"first": entered(python=2)}),
    ],
    ids=["limit", "rule", "field of a bot", "field of an entry point"],
)
def test_what_is_added_later_is_in_the_key_only_when_it_is_not_the_default(
    usual: dict[str, Any], changed: dict[str, Any]
) -> None:
    assert replace(KEY, **usual).digest == KEY.digest
    assert replace(KEY, **changed).digest != KEY.digest


@pytest.mark.parametrize(
    ("record", "known"),
    [
        (Ruleset, KEYED_RULES),
        (Limits, KEYED_LIMITS + UNKEYED_LIMITS),
        (Bot, KEYED_OF_BOT + UNKEYED_OF_BOT),
        (EntryPoint, KEYED_OF_ENTRY),
    ],
)
def test_every_field_is_listed_as_keyed_or_not(record: type, known: tuple[str, ...]) -> None:
    # a field that changes games is added here, one that changes none to the table of those
    since = {EntryPoint: ("description",), Limits: ("home",)}
    assert {f.name for f in fields(record)} == {*known, *since.get(record, ())}


def test_five_seconds_are_the_same_limit_however_they_are_written() -> None:
    whole = Limits(move_seconds=5, first_move_seconds=0, load_seconds=60)
    real = Limits(move_seconds=5.0, first_move_seconds=0.0, load_seconds=60.0)
    assert replace(KEY, limits=whole).digest == replace(KEY, limits=real).digest
