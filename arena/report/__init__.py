"""What people see and take away: terminal tables, progress, CSV files, feedback."""

from arena.report.examination import check_lines, check_page, check_record, check_table
from arena.report.files import write_results
from arena.report.progress import Progress
from arena.report.tables import (
    crosstable_table,
    leaderboard_table,
    refused_lines,
    retired_lines,
    tie_lines,
)

__all__ = [
    "Progress",
    "check_lines",
    "check_page",
    "check_record",
    "check_table",
    "crosstable_table",
    "leaderboard_table",
    "refused_lines",
    "retired_lines",
    "tie_lines",
    "write_results",
]
