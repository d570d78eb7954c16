"""Contests: the folder, the bots and people, the games, rounds and retirement."""
