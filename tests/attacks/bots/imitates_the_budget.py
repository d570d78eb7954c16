"""Raises the error with which the host stops a search that went on.
expect: NODES, anyone
"""

import arena.errors


def pick_move(rack):
    raise arena.errors.OverBudgetError
