"""The report: one HTML page that needs no network, made from a contest's games."""
