"""What people see and take away: terminal tables, progress, CSV files, feedback."""

from arena.report.files import write_results
from arena.report.progress import Progress
from arena.report.tables import crosstable_table, leaderboard_table, retired_lines

__all__ = ["Progress", "crosstable_table", "leaderboard_table", "retired_lines", "write_results"]
