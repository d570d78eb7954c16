"""From what was handed in to bots that a contest can seat. Nothing handed in is run here."""

from arena.intake.options import wrong_option
from arena.intake.roster import (
    A_BOT,
    HOUSE,
    Roster,
    find_roster,
    find_submission,
    house_folder,
    house_submissions,
)
from arena.intake.submission import Submission, default_name, read_submission

__all__ = [
    "A_BOT",
    "HOUSE",
    "Roster",
    "Submission",
    "default_name",
    "find_roster",
    "find_submission",
    "house_folder",
    "house_submissions",
    "read_submission",
    "wrong_option",
]
