"""Raises an error whose traceback is one frame that follows itself.
expect: TIMEOUT, ERROR, CRASH, anyone
"""

from types import SimpleNamespace


class Endless(Exception):
    @property
    def __traceback__(self):
        code = SimpleNamespace(co_filename="/nowhere", co_name="round", co_positions=list)
        trace = SimpleNamespace(tb_frame=SimpleNamespace(f_code=code), tb_lineno=1, tb_lasti=0)
        trace.tb_next = trace
        return trace


def pick_move(rack):
    raise Endless
