"""Bots on trial: before a contest, and for `arena check`."""
