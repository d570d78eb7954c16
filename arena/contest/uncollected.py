"""Making a great many objects with no cycles among them.

Python's collector looks through all objects that there are whenever a quarter more have been made.
While the games of a large contest are read, and while tables and pages are made from them, that
takes a fifth of the time, and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage in cycles meanwhile. Also a decorator of functions."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
