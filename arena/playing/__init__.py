"""Lanes on this machine, the driver that feeds them, and their log."""
