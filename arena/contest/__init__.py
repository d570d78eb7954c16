"""A contest: its file, schedule, folder and journal, the lanes that play it, and its analysis."""
