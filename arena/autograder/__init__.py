"""Gradescope's autograder: its archive, and the grading of one submission."""

USUAL_MINUTES = 10  # Gradescope's default time limit.
SPARE_SECONDS = 60  # Seconds of the time limit that are kept for the start and for pages.
