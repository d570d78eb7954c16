"""Measurements of this machine: what it can confine, what things cost, how strong the engine is."""
