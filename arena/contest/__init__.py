"""A contest: its file, schedule, folder and journal, the lanes that play it, and its analysis."""

from arena.contest.analysing import Analyser, unanalysed
from arena.contest.analysis import (
    EVEN,
    GameAnalysis,
    JudgedMove,
    MoveAnalysis,
    PositionAnalysis,
    analyse,
    usual_nodes,
)
from arena.contest.config import (
    BotEntry,
    Contest,
    Forfeits,
    Format,
    Grading,
    Ranking,
    Schedule,
    draw_seed,
)
from arena.contest.contest_file import read_contest_file
from arena.contest.driver import LaneExecutor
from arena.contest.entries import (
    brought_up_to_date,
    enter,
    only_overrides,
)
from arena.contest.folder import ContestFolder
from arena.contest.journal import Journal
from arena.contest.lanes import Lanes, available_cores, plan_lanes
from arena.contest.people import by_bot, read_people
from arena.contest.person import Person
from arena.contest.presets import PRESETS, on_top, preset
from arena.contest.retirement import (
    Retirement,
    Settled,
    SettledGame,
    forfeit,
    settle,
)
from arena.contest.run import Playing, Run
from arena.contest.schedule import ScheduledGame, pairings
from arena.contest.session import Results, Session
from arena.contest.worth import Appraiser, Worth
from arena.scoring import GradeRule, TieBreakName

__all__ = [
    "EVEN",
    "PRESETS",
    "Analyser",
    "Appraiser",
    "BotEntry",
    "Contest",
    "ContestFolder",
    "Forfeits",
    "Format",
    "GameAnalysis",
    "GradeRule",
    "Grading",
    "Journal",
    "JudgedMove",
    "LaneExecutor",
    "Lanes",
    "MoveAnalysis",
    "Person",
    "Playing",
    "PositionAnalysis",
    "Ranking",
    "Results",
    "Retirement",
    "Run",
    "Schedule",
    "ScheduledGame",
    "Session",
    "Settled",
    "SettledGame",
    "TieBreakName",
    "Worth",
    "analyse",
    "available_cores",
    "brought_up_to_date",
    "by_bot",
    "draw_seed",
    "enter",
    "forfeit",
    "on_top",
    "only_overrides",
    "pairings",
    "plan_lanes",
    "preset",
    "read_contest_file",
    "read_people",
    "settle",
    "unanalysed",
    "usual_nodes",
]
