"""A Dask cluster whose processes are restarted when they end, as systemd would."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from .kills import Kinds, add_lanes, living
from .networks import Network

# How often each kind is drawn: a worker takes seconds to come back.
SHARES = {"main": 1, "scheduler": 1, "nanny": 1, "worker": 2, "lane": 5, "zygote": 5, "bot": 10}


class DaskCluster:
    """A scheduler and workers with a nanny each, for a `with` block."""

    def __init__(self, folder: Path, workers: int = 2, network: Network | None = None) -> None:
        """Logs are written to `folder`. On a network the scheduler is on its hub."""
        self._folder, self._workers, self._network = folder, workers, network
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._shells: list[subprocess.Popen[bytes]] = []  # the scheduler's is the first

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self._port}"

    def __enter__(self) -> DaskCluster:
        self._folder.mkdir(parents=True, exist_ok=True)
        network = self._network
        hub = network.on("hub") if network else []
        self._start(hub, "scheduler", "--host", "0.0.0.0", "--port", str(self._port))
        for number in range(self._workers):
            host = network.hub_address(number) if network else "127.0.0.1"
            local = str(self._folder / f"worker{number}")
            own = ("--nthreads", "1", "--local-directory", local, "--memory-limit", "0")
            where = network.on(number) if network else []
            self._start(where, "worker", f"tcp://{host}:{self._port}", *own)
        return self

    def __exit__(self, *_: object) -> None:
        for shell in self._shells:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()

    def living(self, main: int) -> Kinds:
        """Return the processes of a contest on this cluster."""
        found = living(main)
        for number, shell in enumerate(self._shells):
            with suppress(psutil.Error):
                for top in psutil.Process(shell.pid).children():
                    found["nanny" if number else "scheduler"].append(top)
                    for worker in top.children() if number else ():
                        if "spawn_main" in " ".join(worker.cmdline()):
                            found["worker"].append(worker)
                            add_lanes(found, worker)
        return found

    def _start(self, where: Sequence[str], *words: str) -> None:
        command = shlex.join([*where, sys.executable, "-m", "dask", *words, "--no-dashboard"])
        with (self._folder / f"{len(self._shells)}.log").open("ab") as log:
            shell = subprocess.Popen(
                ["sh", "-c", f"while :; do {command}; sleep 0.5; done"],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._shells.append(shell)
