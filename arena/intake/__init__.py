"""From what was handed in to bots that a contest can seat. Nothing handed in is run here."""

from arena.intake.files import content_hash, folder_files
from arena.intake.house import (
    ENGINE_PLAYER,
    house_folder,
    house_player,
    house_submissions,
    wrong_engine_option,
)
from arena.intake.options import wrong_option
from arena.intake.roster import A_BOT, Roster, find_roster, find_submission
from arena.intake.submission import Submission, read_submission
from arena.naming import FLOOR, HOUSE, LEVELS, PLAYERS, YARDSTICK

__all__ = [
    "A_BOT",
    "ENGINE_PLAYER",
    "FLOOR",
    "HOUSE",
    "LEVELS",
    "PLAYERS",
    "YARDSTICK",
    "Roster",
    "Submission",
    "content_hash",
    "find_roster",
    "find_submission",
    "folder_files",
    "house_folder",
    "house_player",
    "house_submissions",
    "read_submission",
    "wrong_engine_option",
    "wrong_option",
]
