"""The database of a contest's records: its rows, and mending it."""
