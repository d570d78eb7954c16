"""A kernel without some system calls: they fail as unknown calls."""

from __future__ import annotations

import os
import subprocess

import pytest

from arena.host.sandbox import seccomp

LANDLOCK = (444, 445, 446)
SECCOMP = seccomp.numbers()["seccomp"]
SETRESUID = {"x86_64": 117, "aarch64": 147}[os.uname().machine]
UNSHARE = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
MOUNT = {"x86_64": 165, "aarch64": 40}[os.uname().machine]

SCRIPT = """
import ctypes, os, struct, sys
from arena.host.sandbox.kernel import prctl
calls = [int(call) for call in sys.argv[1].split(",") if call]
ops = [(0x20, 0, 0, 0)]
for call in calls:
    ops += [(0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | 38)]
code = b"".join(struct.pack("HBBI", *op) for op in [*ops, (0x06, 0, 0, 0x7FFF0000)])
held = ctypes.create_string_buffer(code, len(code))
program = ctypes.create_string_buffer(struct.pack("HP", len(code) // 8, ctypes.addressof(held)))
prctl(38, 1)
prctl(22, 2, ctypes.addressof(program))
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


def deprived(without: tuple[int, ...], *words: object) -> list[str]:
    """Return Python's arguments to run Python with `words` without these calls."""
    return ["-c", SCRIPT, ",".join(map(str, without)), *map(str, words)]


def deprive_zygotes(patch: pytest.MonkeyPatch, without: tuple[int, ...]) -> None:
    """Start zygotes without these calls from now on."""
    start = subprocess.Popen

    def deprive(command: list[str], **more: object) -> object:
        return start([command[0], *deprived(without, *command[1:])], **more)  # type: ignore[call-overload]

    patch.setattr("arena.game.bot_process.subprocess.Popen", deprive)
