"""Gradescope's data of a hand-in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.autograder.handin import read_lateness
from arena.common.errors import InputError

NOON = "2026-03-02T12:00:00.000000-08:00"
BEFORE = "2026-03-02T11:59:59.000000-08:00"
AFTER = "2026-03-02T12:00:01.000000-08:00"


def due(common: str | None, *own: str) -> dict[str, Any]:
    """A hand-in at noon, with these due dates of the assignment and of its group's members."""
    users = [{"assignment": {"due_date": date}} for date in own]
    return {"created_at": NOON, "assignment": {"due_date": common}, "users": users}


@pytest.mark.parametrize(
    ("known", "is_late"),
    [
        ({}, False),
        (due(None), False),
        (due(NOON), False),
        (due(BEFORE), True),
        (due("2026-03-02T20:00:00Z"), False),  # the same moment in another time zone
        (due(BEFORE, BEFORE, AFTER), False),
    ],
)
def test_a_hand_in_is_late_after_its_last_due_date(
    known: dict[str, Any], is_late: bool, tmp_path: Path
) -> None:
    (tmp_path / "facts.json").write_text(json.dumps(known))
    assert read_lateness(tmp_path / "facts.json") is is_late


@pytest.mark.parametrize("text", ["", "[]", '{"created_at": 5, "assignment": {"due_date": "x"}}'])
def test_what_is_no_such_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text(text)
    with pytest.raises(InputError, match="not as Gradescope writes it"):
        read_lateness(tmp_path / "facts.json")
