"""Raises the error with which the host stops a search that went on.
expect: NODES, anyone
"""

import arena.common.errors


def pick_move(rack):
    raise arena.common.errors.OverBudgetError
