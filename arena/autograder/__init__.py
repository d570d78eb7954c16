"""Gradescope's autograder: the archive to upload, and grading one hand-in where it runs."""
