"""Searches by lambdas that call each other through a table, where no recursion can be seen.
expect: plays, anyone
"""

table = {"search": lambda depth: depth and table["search"](depth - 1) + table["search"](depth - 1)}


def pick_move(rack):
    table["search"](12)
    return [column[-1] for column in rack].index(0)
