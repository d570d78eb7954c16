"""A Dask cluster whose processes are restarted when they end, as systemd would."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from .kills import Kinds, add_lanes, living
from .networks import Network

RESTART_SECONDS = 0.5  # Between two checks.

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
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._logs: list[IO[bytes]] = []

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self._port}"

    def __enter__(self) -> DaskCluster:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._start_missing()
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._keeper.join()
        for process in self._running.values():
            with suppress(psutil.Error):
                for each in psutil.Process(process.pid).children(recursive=True):
                    with suppress(psutil.Error):
                        each.kill()
            process.kill()
            process.wait()
        for log in self._logs:
            log.close()

    def living(self, main: int) -> Kinds:
        """Return the processes of a contest on this cluster."""
        found = living(main)
        for name, process in list(self._running.items()):
            with suppress(psutil.Error):
                top = psutil.Process(process.pid)
                found["scheduler" if name == "scheduler" else "nanny"].append(top)
                for worker in top.children() if name != "scheduler" else ():
                    if "spawn_main" in " ".join(worker.cmdline()):
                        found["worker"].append(worker)
                        add_lanes(found, worker)
        return found

    def _keep(self) -> None:
        while not self._over.wait(RESTART_SECONDS):
            self._start_missing()

    def _start_missing(self) -> None:
        network = self._network
        hub = network.hub if network else []
        self._start(hub, "scheduler", "scheduler", "--host", "0.0.0.0", "--port", str(self._port))
        for number in range(self._workers):
            host = network.hub_address(number) if network else "127.0.0.1"
            local = str(self._folder / f"worker{number}")
            own = ("--nthreads", "1", "--local-directory", local, "--memory-limit", "0")
            where = network.machine(number) if network else []
            self._start(where, f"worker{number}", "worker", f"tcp://{host}:{self._port}", *own)

    def _start(self, where: Sequence[str], name: str, *words: str) -> None:
        before = self._running.get(name)
        if before is not None and before.poll() is None:
            return
        log = (self._folder / f"{name}.log").open("ab")
        self._logs.append(log)
        command = [*where, sys.executable, "-m", "dask", *words, "--no-dashboard"]
        self._running[name] = subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True
        )
