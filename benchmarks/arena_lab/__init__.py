"""Measurements of Arena for developers."""
