"""Raises the error with which the host stops a search that went on.
expect: NODES
"""

import arena.host.meter


def pick_move(rack):
    raise arena.host.meter.OverBudget
