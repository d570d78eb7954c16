"""The report: one HTML page about a contest's games that needs no network."""
