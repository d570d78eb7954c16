"""Contests that are disturbed: kills, cut networks, full disks. `python -m tests.faults --help`."""
