"""Data of a hand-in, from Gradescope's `submission_metadata.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from arena.common.errors import InputError

USUAL_MINUTES = 10  # Gradescope's default time limit.
SPARE_SECONDS = 60  # Seconds of the time limit that are kept for the start and for pages.


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    attempt: int = 1
    """Number of the student's or group's attempt, from 1."""

    previous: float | None = None
    """Score of the attempt before."""

    is_late: bool = False
    """True if handed in after the due date, including extensions."""


def read_hand_in(path: Path) -> HandIn:
    """Read Gradescope's file; missing keys are allowed. Raises InputError."""
    try:
        known = json.loads(path.read_text("utf-8"))
        earlier = known.get("previous_submissions") or []
        scores = [each.get("score") for each in earlier]
        return HandIn(
            attempt=len(earlier) + 1,
            previous=_score(scores[-1]) if scores else None,
            is_late=_is_late(known),
        )
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not as Gradescope writes it: {error}") from None


def _score(value: Any) -> float | None:
    score = None if value is None else float(value)
    return score if score is not None and isfinite(score) else None


def _is_late(known: dict[str, Any]) -> bool:
    made = known.get("created_at")
    common = (known.get("assignment") or {}).get("due_date")
    own = [(user.get("assignment") or {}).get("due_date") for user in known.get("users") or []]
    dates = [datetime.fromisoformat(date) for date in (*own, common) if date]
    if made is None or not dates:
        return False
    # an extension moves a student's own due date; in a group the latest counts
    return datetime.fromisoformat(made) > max(dates)
