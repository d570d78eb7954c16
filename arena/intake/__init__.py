"""From what was handed in to bots that a contest can seat. Nothing handed in is run here."""

from arena.intake.roster import (
    HOUSE,
    Roster,
    find_roster,
    find_submission,
    house_folder,
    house_submissions,
)
from arena.intake.submission import Submission, read_submission

__all__ = [
    "HOUSE",
    "Roster",
    "Submission",
    "find_roster",
    "find_submission",
    "house_folder",
    "house_submissions",
    "read_submission",
]
