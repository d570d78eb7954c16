"""What a process that reads untrusted files can still do."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from arena.host.sandbox import confining, quarantine

MEMORY = 256 << 20


def done_by_reader(readable: Path, steps: dict[str, Callable[[], object]]) -> list[str]:
    """Names of the steps that succeed in a process that may read one path."""
    layers = confining.layers()
    quarantine.rehearse(layers)
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        quarantine.confine(
            channel=theirs.fileno(),
            parent=parent,
            readable=[str(readable)],
            seconds=5,
            memory=MEMORY,
            layers=layers,
        )
        for name, step in steps.items():
            try:
                step()
                os.write(quarantine.CHANNEL, f"{name} ".encode())
            except (OSError, MemoryError):
                continue
        os._exit(0)
    theirs.close()
    with ours, ours.makefile("rb") as said:
        done = said.read().decode().split()
    assert os.waitpid(pid, 0)[1] == 0
    return done


def test_it_reads_one_path_and_does_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "secret").write_text("")
    steps = {
        "read": (tmp_path / "bot.py").read_bytes,
        "python": Path(os.__file__).read_bytes,
        "beside": (tmp_path / "secret").read_bytes,
        "passwords": Path("/etc/passwd").read_bytes,
        "write": lambda: (tmp_path / "bot.py").write_text("x"),
        "make": lambda: (tmp_path / "new").write_text("x"),
        "fork": os.fork,
        "signal": lambda: os.kill(os.getppid(), signal.SIGCONT),
        "connect": lambda: socket.socket().connect(("127.0.0.1", 1)),
        "memory": lambda: bytearray(2 * MEMORY),
    }
    assert done_by_reader(tmp_path / "bot.py", steps) == ["read", "python"]
