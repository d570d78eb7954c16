"""Likeness of bots: of their play, and of their sources."""
