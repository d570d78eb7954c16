"""The errors that people see: each is one line that says what, where, and what to do."""

from __future__ import annotations

import errno
from pathlib import Path


class InputError(ValueError):
    """Something that was typed or written cannot be used as it is. Commands exit with 2."""


class MachineError(RuntimeError):
    """The machine does not let a command go on that is right as it is. Commands exit with 1."""


class StorageError(MachineError):
    """A disk, a folder or a journal cannot be used any further."""


def unwritable(path: Path, error: OSError) -> InputError | StorageError:
    """The error to raise for a path that cannot be written: a full disk is nobody's input."""
    said = f"{path}: cannot be written to ({error.strerror})"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return StorageError(f"{said}; make room and type the same command again")
    return InputError(said)
