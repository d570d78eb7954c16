"""Landlock: which files a process may still open, and which neighbours it may still signal.

Needs no privilege, holds for every thread and child, and cannot be taken back. What it does not
govern (metadata, changes of mode or owner) is `seccomp`'s. Constants from linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from enum import IntFlag

from arena.host.kernel import syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""System calls, the same on every architecture."""

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1


class Access(IntFlag):
    """Rights on files and folders, each with the ABI that knows it; `LATER` has those after 1."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


LATER = ((2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV))
NET_ABI, SCOPE_ABI = 4, 6

TCP = 0b11
"""Binding and connecting."""

SCOPES = 0b11
"""Abstract sockets of, and signals to, processes outside."""

READ = Access.READ_FILE | Access.READ_DIR
OWN = (
    READ
    | Access.WRITE_FILE
    | Access.TRUNCATE
    | Access.REMOVE_DIR
    | Access.REMOVE_FILE
    | Access.MAKE_DIR
    | Access.MAKE_REG
    | Access.MAKE_SYM
    | Access.REFER
)
"""A folder of one's own: everything but running programs and making devices, pipes, sockets."""

_ON_FILES = int(
    Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
)
"""The rights that a rule on a single file may have."""


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """The kernel's Landlock version; 0 where there is none, or where it is switched off."""
    try:
        return syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def ruleset(rules: Iterable[tuple[int, int]]) -> int:
    """A set of rules, as a descriptor: nothing anywhere but these rights beneath these places.

    Each rule is the descriptor of a file or folder, opened with O_PATH, and an `Access`.
    Raises OSError.
    """
    version = abi()
    handled = _handled(version)
    attributes = _Attributes(
        handled,
        TCP if version >= NET_ABI else 0,
        SCOPES if version >= SCOPE_ABI else 0,
    )
    fd = syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    for place, access in rules:
        on_it = handled if stat.S_ISDIR(os.fstat(place).st_mode) else handled & _ON_FILES
        rule = _PathBeneath(access & on_it, place)
        syscall(_ADD_RULE, fd, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    return fd


def restrict(ruleset: int) -> None:
    """Leave this process what the rules allow, for good. Needs no_new_privs. Raises OSError."""
    syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _handled(version: int) -> int:
    handled = int(Access.REFER) - 1  # the rights of ABI 1
    for since, access in LATER:
        if version >= since:
            handled |= access
    return handled
