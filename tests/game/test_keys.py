"""A game's key keeps its digest: journals are read and bots are seeded by it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

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
EXACT = replace(
    ALICE,
    entry_point=pick_move_in(
        "a.py", options={"depth": 4, "weights": [1, 10, 100]}, node_function="value"
    ),
)
HOUSE = Bot(
    content_hash="h3", root="/h", entry_point=EntryPoint(options={"nodes": 500}, engine="e4")
)

KEYS = {
    "usual": KEY,
    "seats swapped": replace(KEY, first=BOB, second=ALICE),
    "another seed": replace(KEY, seed=1 << 40),
    "an opening": replace(KEY, opening=(3, 3, 0, 6)),
    "8 by 8": replace(KEY, rules=RULESETS["cs4100"]),
    "most lines": replace(KEY, rules=RULESETS["max"]),
    "connect 5": replace(KEY, rules=Ruleset(rows=9, columns=10, connect=5, goal=Goal.FIRST)),
    "other limits": replace(
        KEY,
        limits=Limits(
            move_seconds=0.5, first_move_seconds=0.0, load_seconds=5.0, nodes=77, memory_mb=256
        ),
    ),
    "no nodes": replace(KEY, limits=Limits(nodes=None)),
    "nodes for all": replace(KEY, limits=Limits(nodes_for_all=True)),
    "another class": replace(KEY, first=replace(ALICE, entry_point=EntryPoint(name="Other"))),
    "options": replace(KEY, first=EXACT),
    "engine": replace(KEY, second=HOUSE),
    "no budget": replace(KEY, first=replace(ALICE, has_budget=False)),
    "elsewhere": replace(KEY, first=replace(ALICE, root="/c", problem="empty")),
}

DIGESTS = {
    "another class": "08181fcb67255c2d4882eaf474912c01",
    "usual": "cd381070ae90ac95509971e585e34306",
    "seats swapped": "cb98bf0446ff0765a82665581bff4081",
    "another seed": "ce15e0e3a6736831c12ef46a635d6612",
    "an opening": "2c080c709dfac57c139b8e06f2fd1f62",
    "8 by 8": "5603ee08ab60e3d33c79791c1d2e66d1",
    "most lines": "f64f9dc848da434582f431e1d95c8e79",
    "connect 5": "e2f48fde05d84c6240e62f225677e9ad",
    "other limits": "242def49cf6accb20b918fc535d41d73",
    "no nodes": "c426b96c1ac4a70465a8ec46db08ed71",
    "nodes for all": "cd381070ae90ac95509971e585e34306",
    "options": "36859a2f09042e02230b839d45092881",
    "engine": "f5dd413a00beb0c9deae02d91cbd5a2f",
    "no budget": "47fb993b956db64e577b4021d831e37f",
    "elsewhere": "cd381070ae90ac95509971e585e34306",
}

SEEDS = [8301163144358694836, 1028947288565716745]


@pytest.mark.parametrize("name", KEYS)
def test_a_key_has_the_digest_that_it_has_always_had(name: str) -> None:
    assert KEYS[name].digest == DIGESTS[name]


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


def test_a_limit_added_later_is_in_the_key_only_when_it_is_not_the_default() -> None:
    assert replace(KEY, limits=LaterLimits()).digest == KEY.digest
    assert replace(KEY, limits=LaterLimits(output_mb=1)).digest != KEY.digest


def test_a_rule_added_later_is_in_the_key_only_when_it_is_not_the_default() -> None:
    assert replace(KEY, rules=LaterRules()).digest == KEY.digest
    assert replace(KEY, rules=LaterRules(gravity=False)).digest != KEY.digest


def test_a_field_added_to_a_bot_is_in_the_key_only_when_it_is_not_the_default() -> None:
    alike = {f.name: getattr(ALICE, f.name) for f in fields(Bot)}
    assert replace(KEY, first=LaterBot(**alike)).digest == KEY.digest
    assert replace(KEY, first=LaterBot(**alike, team=("x",))).digest != KEY.digest


def test_a_field_added_to_an_entry_point_is_in_the_key_only_when_it_is_not_the_default() -> None:
    alike = {f.name: getattr(ALICE.entry_point, f.name) for f in fields(EntryPoint)}
    now, other = LaterEntryPoint(**alike), LaterEntryPoint(**alike, python=2)
    assert replace(KEY, first=replace(ALICE, entry_point=now)).digest == KEY.digest
    assert replace(KEY, first=replace(ALICE, entry_point=other)).digest != KEY.digest


@pytest.mark.parametrize(
    ("record", "known"),
    [
        (Ruleset, KEYED_RULES),
        (Limits, KEYED_LIMITS + UNKEYED_LIMITS),
        (Bot, KEYED_OF_BOT + UNKEYED_OF_BOT),
        (EntryPoint, KEYED_OF_ENTRY),
    ],
)
def test_of_every_field_somebody_has_decided_whether_it_is_in_the_key(
    record: type, known: tuple[str, ...]
) -> None:
    # a field that changes games is added here, one that changes none to the table of those
    since: dict[type, tuple[str, ...]] = {}
    assert {f.name for f in fields(record)} == {*known, *since.get(record, ())}


def test_five_seconds_are_the_same_limit_however_they_are_written() -> None:
    whole = Limits(move_seconds=5, first_move_seconds=0, load_seconds=60)
    real = Limits(move_seconds=5.0, first_move_seconds=0.0, load_seconds=60.0)
    assert replace(KEY, limits=whole).digest == replace(KEY, limits=real).digest
