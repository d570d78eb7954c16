"""The database of a contest's records, its rows, and its repair."""
