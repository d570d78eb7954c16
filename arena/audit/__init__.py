"""Checks and repair of a contest's folder, and reruns of games."""
