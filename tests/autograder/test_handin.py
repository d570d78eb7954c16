"""Gradescope's data of a hand-in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.autograder.handin import HandIn, read_hand_in
from arena.common.errors import InputError

NOON = "2026-03-02T12:00:00.000000-08:00"
BEFORE = "2026-03-02T11:59:59.000000-08:00"
AFTER = "2026-03-02T12:00:01.000000-08:00"


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, HandIn()),
        ({"created_at": NOON, "assignment": {"due_date": None}}, HandIn()),
        ({"created_at": NOON, "assignment": {"due_date": NOON}}, HandIn()),
        ({"created_at": NOON, "assignment": {"due_date": BEFORE}}, HandIn(is_late=True)),
        # the same moment in another time zone
        ({"created_at": "2026-03-02T20:00:00Z", "assignment": {"due_date": NOON}}, HandIn()),
        (
            {
                "created_at": NOON,
                "assignment": {"due_date": BEFORE},
                "users": [
                    {"assignment": {"due_date": BEFORE}},
                    {"assignment": {"due_date": AFTER}},
                ],
            },
            HandIn(),
        ),
        ({"previous_submissions": [{"score": 1}, {"score": 2.5}]}, HandIn(attempt=3, previous=2.5)),
        ({"previous_submissions": [{"score": None}]}, HandIn(attempt=2)),
        ({"previous_submissions": [{"score": "NaN"}]}, HandIn(attempt=2)),
        ({"previous_submissions": [{"score": float("inf")}]}, HandIn(attempt=2)),
    ],
)
def test_what_is_read(known: dict[str, Any], expected: HandIn, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text(json.dumps(known))
    assert read_hand_in(tmp_path / "facts.json") == expected


@pytest.mark.parametrize("text", ["", "[]", '{"created_at": 5, "assignment": {"due_date": "x"}}'])
def test_what_is_no_such_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text(text)
    with pytest.raises(InputError, match="not as Gradescope writes it"):
        read_hand_in(tmp_path / "facts.json")
