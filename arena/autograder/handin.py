"""Whether a hand-in is late, from Gradescope's `submission_metadata.json`."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from arena.common.errors import InputError

USUAL_MINUTES = 10  # Gradescope's default time limit.
SPARE_SECONDS = 60  # Seconds of the time limit that are kept for the start and for pages.


def read_lateness(path: Path) -> bool:
    """Return whether the hand-in came after its due date. Raises InputError.

    Extensions count; without dates it is on time.
    """
    try:
        return _is_late(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not as Gradescope writes it: {error}") from None


def _is_late(known: dict[str, Any]) -> bool:
    made = known.get("created_at")
    common = (known.get("assignment") or {}).get("due_date")
    own = [(user.get("assignment") or {}).get("due_date") for user in known.get("users") or []]
    dates = [datetime.fromisoformat(date) for date in (*own, common) if date]
    if made is None or not dates:
        return False
    # an extension moves a student's own due date; in a group the latest counts
    return datetime.fromisoformat(made) > max(dates)
