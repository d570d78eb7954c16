"""Puts a finder that raises before all others and empties every cache of the import system.
expect: plays, anyone
"""

import sys


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        raise SystemExit(f"no {name} for you")


def pick_move(rack):
    sys.meta_path[:] = [Finder]
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    sys.path.clear()
    return [column[-1] for column in rack].index(0)
