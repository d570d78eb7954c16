"""The version of the engine's play. It imports no numba."""

from __future__ import annotations

PLAY = "1cf4797df6655bf9"
"""Part of the keys of all games with the engine. It stays while the engine plays the same moves
with the same counts of nodes, however its code is written; whoever changes them draws 16 other
digits. `tests/engine/test_version.py` tells whether they changed."""
