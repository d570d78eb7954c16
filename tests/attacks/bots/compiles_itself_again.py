"""Imports its own file once more, by a loader that does not count its nodes.
expect: NODES, anyone
"""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader


def search(depth):
    return depth and search(depth - 1) + search(depth - 1)


def pick_move(rack):
    spec = spec_from_loader("again", SourceFileLoader("again", __file__))
    again = module_from_spec(spec)
    spec.loader.exec_module(again)
    again.search(12)
    return [column[-1] for column in rack].index(0)
