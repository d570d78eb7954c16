"""Disturbed contests: kills, cut networks, full disks."""
