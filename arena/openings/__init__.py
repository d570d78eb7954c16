"""Openings: the positions that games start from, drawn at random or from a book."""
