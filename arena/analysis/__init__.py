"""The worth of moves."""
