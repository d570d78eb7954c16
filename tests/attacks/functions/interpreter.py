"""Attacks on the interpreter, the host's modules and the errors that it reports."""

import builtins
import ctypes
import gc
import operator
import re
import socket
import struct
import sys
import traceback

import arena.common.errors
import arena.host.serve
import arena.rules.lines
import arena.rules.position


def catastrophic_regex(rack):
    """Matches a regular expression that takes longer than the universe has.
    expect: TIMEOUT, anyone"""
    return bool(re.match(r"(a+)+$", "a" * 60 + "b"))


def catches_everything(rack):
    """Loops and catches whatever is raised to stop it. expect: TIMEOUT, anyone"""
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def empties_sys_modules(rack):
    """Removes every module from the table of modules, so that the host must import its own again.
    expect: plays, CRASH, ERROR, LOAD_ERROR, anyone"""
    sys.modules.clear()


def holds_the_gil(rack):
    """Computes one enormous power in C, where no signal handler of Python's can run.
    expect: TIMEOUT, anyone"""
    return len(rack) ** 10**8 % 2


def hunts_for_host_objects(rack):
    """Finds every socket and every object of the host's, and closes and clears them.
    expect: CRASH, ERROR, anyone"""
    for thing in gc.get_objects():
        if type(thing).__module__.startswith("arena.host"):
            vars(thing).clear()
        elif type(thing).__name__ == "socket":
            thing.close()


def imitates_the_budget(rack):
    """Raises the error with which the host stops a search that went on. expect: NODES, anyone"""
    raise arena.common.errors.OverBudgetError


def makes_three_be_four(rack):
    """Overwrites the interpreter's only 3 with a 4.
    expect: plays, ERROR, CRASH, ILLEGAL_MOVE, PROTOCOL, TIMEOUT, LOAD_ERROR, anyone"""
    move = [column[-1] for column in rack].index(0)
    ctypes.memmove(id(3) + 24, id(4) + 24, 4)
    return move


def patches_builtins(rack):
    """Patches type, so that every answer looks like an int.
    expect: ERROR, ILLEGAL_MOVE, CRASH, anyone"""
    builtins.type = lambda thing: int
    return "77"


def patches_struct_and_socket(rack):
    """Patches operator.index, the struct module and the socket class. expect: plays, anyone"""
    operator.index = lambda thing: 77
    struct.Struct = struct.pack = struct.unpack_from = None
    socket.socket.send = socket.socket.recv_into = None


def patches_the_host(rack):
    """Patches the host's own modules in its process: its answers become five zero bytes.
    expect: PROTOCOL, anyone"""
    arena.host.serve.pack_answer = lambda *answer: bytes(5)


def patches_the_rules(rack):
    """Patches the rules in its process, so that every move of its own wins.
    expect: plays, anyone"""
    for module in (arena.rules.position, arena.rules.lines):
        for name in [name for name in vars(module) if not name.startswith("__")]:
            setattr(module, name, lambda *anything, **more: True)


def raises_a_deep_group(rack):
    """Raises a group of errors that holds a group three times, and so on, five hundred deep.
    expect: ERROR, TIMEOUT, anyone"""
    error = ValueError("innermost")
    for _ in range(500):
        error = BaseExceptionGroup("group", [error] * 3)
    raise error


def raises_a_huge_error(rack):
    """Raises an error whose message is fifty megabytes long. expect: ERROR, anyone"""
    raise ValueError("x" * (50 << 20))


def raises_an_error_of_a_million_letters(rack):
    """Raises an error of a class whose name is a million letters long. expect: ERROR, anyone"""
    raise type("E" * 10**6, (Exception,), {})("x")


def raises_errors_in_a_circle(rack):
    """Raises an error that is its own cause, by way of two thousand others and their notes.
    expect: ERROR, anyone"""
    first = error = ValueError("first")
    for number in range(2000):
        error.__cause__ = ValueError(number)
        error.add_note("note " * 100)
        error = error.__cause__
    error.__cause__ = first
    raise first


def returns_a_bool(rack):
    """Returns True, which is a number to Python. expect: ILLEGAL_MOVE, anyone"""
    return True


def returns_a_negative_column(rack):
    """Returns -1, the last column to Python and none to the referee.
    expect: ILLEGAL_MOVE, anyone"""
    return -1


def returns_a_text(rack):
    """Returns a column as text, with junk around it. expect: ILLEGAL_MOVE, anyone"""
    return "0\x1b[2J\n\u202e" * 1000


def rewrites_its_callers(rack):
    """Writes into the variables of its callers' frames, through the interpreter's own interface.
    expect: plays, anyone"""
    frame = sys._getframe(1)
    while frame:
        variables = frame.f_locals
        for name in {"nodes", "depth", "player", "limits"} & variables.keys():
            variables[name] = 0
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 0)
        frame = frame.f_back


def refuse(*anything, **more):
    raise SystemExit("not you")


def patches_what_reports_faults(rack):
    """Makes everything raise that a report of an error might use, then raises one.
    expect: ERROR, CRASH, anyone"""
    for name in ("str", "repr", "len", "print", "isinstance", "getattr", "type"):
        setattr(builtins, name, refuse)
    traceback.extract_tb = traceback.format_exception_only = refuse
    raise ValueError("who will tell?")


NAME = 'E\x1b[31m\n| a | b |\n```\n# x\u202e,"=1+1"\';<b>'


def raises_poison(rack):
    """Raises an error of a class whose name and message try to be terminal codes, Markdown and CSV.
    expect: ERROR, anyone"""
    raise type(NAME, (Exception,), {})(NAME * 20 + "\x00\ud800")


def decoy(depth):
    return depth and decoy(depth - 1)


def searches_with_its_own_stack(rack):
    """Searches in a loop with a list for a stack, beside a small recursive function.
    expect: plays, anyone"""
    stack = [12]
    while stack:
        depth = stack.pop()
        stack += [depth - 1] * 2 if depth else []
    decoy(3)


def trace(frame, event, argument):
    if "/arena/" in frame.f_code.co_filename:
        raise SystemExit("traced")


def traces_the_host(rack):
    """Sets a trace function that raises in the host's own code. expect: ERROR, CRASH, anyone"""
    sys.settrace(trace)
    sys.setprofile(trace)
