"""Replacements of Arena's readers in a confined process."""

from __future__ import annotations

import ctypes
import time

from arena.intake.reading import At


def slowly(at: At, *_: object) -> str:
    """Take long enough to be killed."""
    at("bot.py")
    time.sleep(0.3)
    return "read"


def crashing(at: At, *_: object) -> str:
    """Crash as a faulty parser does."""
    at("bot.py")
    return ctypes.string_at(0).decode()


def failing(at: At, *_: object) -> str:
    """Fail as Arena's own code may."""
    at("bot.py")
    raise KeyError("rack")
