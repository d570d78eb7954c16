"""Bots that fail in many ways, with names and output that attack a page."""

from __future__ import annotations

from pathlib import Path

SCRIPT = "<script>alert(1)<script>"  # A file name cannot have a slash.
LONG = "long-name-" * 24
HEBREW = "בוט של דנה"
FREE = "[c for c, column in enumerate(rack) if 0 in column]"
DISCS = "sum(cell != 0 for column in rack for cell in column)"

CENTRE = f"""
def pick_move(rack):
    return min({FREE}, key=lambda c: abs(c - 3))
"""
LEVEL = f"""
def pick_move(rack):
    return max({FREE}, key=lambda c: list(rack[c]).count(0))
"""
LEFT = f"""
def pick_move(rack):
    return {FREE}[0]
"""
SLEEPER = f"""
import time

def pick_move(rack):
    while {DISCS} > 9:
        time.sleep(1)
    return {FREE}[0]
"""
CRASHER = f"""
import os, signal

def pick_move(rack):
    if {DISCS} > 11:
        os.kill(os.getpid(), signal.SIGSEGV)
    return {FREE}[-1]
"""
PRINTER = f"""
def pick_move(rack):
    print("<img src=x onerror=alert(1)> \\x1b[31mred\\x1b[0m \\u202eturned")
    if {DISCS} > 12:
        raise ValueError("<img src=x onerror=alert(2)> \\x1b[31mred")
    return {FREE}[0]
"""
BROKEN = "def pick_move(rack:\n    return 0\n"

# Source by file name.
BOTS = {
    SCRIPT: CENTRE,
    LONG: LEFT,
    HEBREW: LEVEL,
    "sleeper": SLEEPER,
    "crasher": CRASHER,
    "printer": PRINTER,
    "broken": BROKEN,
    "lookahead": (Path(__file__).parents[2] / "bots" / "lookahead.py").read_text(encoding="utf-8"),
}

# Names that no file can have, but which a page must bear.
RAW = (
    "<script>alert(1)</script>",
    "x" * 300,
    "</script><img src=x onerror=alert(1)>",
    "two words " * 30,
    "\u202eturned & <b>bold</b>",
)
