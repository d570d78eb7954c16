"""Counting and finding the bits of a word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from arena.engine.jit import inlined


def _popcount(_: Any, word: Any) -> Any:
    """Number of bits that are set, as numba's extensions are written."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


popcount: Any = intrinsic(_popcount)
"""Number of bits that are set."""


@inlined
def lowest(word: Any) -> Any:
    """Return the number of the lowest bit that is set; there must be one."""
    return popcount(~word & (word - np.uint64(1)))
