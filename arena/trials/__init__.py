"""Trials of bots, before a contest and for `arena check`."""
