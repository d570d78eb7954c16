"""Reads hand-ins and finds the bots in them. Runs no code of a hand-in."""
