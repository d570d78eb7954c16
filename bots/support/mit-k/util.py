"""Helpers of the MIT course."""

from functools import wraps

INFINITY = float("inf")
NEG_INFINITY = -INFINITY


def memoize(fn):
    known = {}

    @wraps(fn)
    def asked(*args):
        if args not in known:
            known[args] = fn(*args)
        return known[args]

    return asked


def run_search_function(board, search_fn, eval_fn, timeout=5):
    """Search deeper and deeper, to the depth that a bot's few seconds allow."""
    from time import perf_counter

    ends, best = perf_counter() + timeout / 4, None
    for depth in range(1, 1 + board.board_width * board.board_height):
        best = search_fn(board, depth=depth, eval_fn=eval_fn)
        if perf_counter() > ends:
            break
    return best
