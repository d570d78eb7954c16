"""Reads submissions and finds the bots in them. Runs no code of a submission."""
