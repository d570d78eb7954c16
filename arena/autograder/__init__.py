"""Gradescope's autograder: the archive to upload, and the grading of one hand-in."""
