"""Networks of namespaces: a hub, and machines with a wire to it that can be cut."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .contests import games_of, played

START_SECONDS, END_SECONDS = 120, 600  # Limits for the first games of a contest, and for all.


class NoNetworkError(RuntimeError):
    """Network namespaces cannot be made here; the message says why."""


class Network:
    """A hub and machines, for a `with` block. The real network is not touched."""

    def __init__(self, machines: int) -> None:
        self._machines = range(machines)
        self._name = f"arena{os.getpid()}"

    def on(self, where: int | str) -> list[str]:
        """Return the words before a command to run it on a machine or on the `hub`."""
        return ["ip", "netns", "exec", f"{self._name}-{where}"]

    def hub_address(self, number: int) -> str:
        """Return the address of the hub as a machine sees it."""
        return f"10.77.{number}.1"

    def __enter__(self) -> Network:
        """Raises NoNetworkError."""
        if missing := [tool for tool in ("ip", "iptables") if shutil.which(tool) is None]:
            raise NoNetworkError(f"no {' and no '.join(missing)} here")
        try:
            self._ip("netns", "add", f"{self._name}-hub")
            self._ip("-n", f"{self._name}-hub", "link", "set", "lo", "up")
            for number in self._machines:
                self._add(number)
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            said = getattr(error, "stderr", None) or str(error)
            raise NoNetworkError(f"no network namespaces here: {said.strip()}") from None
        return self

    def __exit__(self, *_: object) -> None:
        for name in ("hub", *self._machines):
            with suppress(OSError, subprocess.CalledProcessError):
                self._ip("netns", "del", f"{self._name}-{name}")

    def cut(self, number: int) -> None:
        """Drop all packets from and to a machine silently."""
        self._filter("-A", number)

    def mend(self, number: int) -> None:
        self._filter("-D", number)

    def _add(self, number: int) -> None:
        """Add a machine, with a wire `w{number}` to the hub."""
        hub, name, wire = f"{self._name}-hub", f"{self._name}-{number}", f"w{number}"
        self._ip("netns", "add", name)
        self._ip("link", "add", wire, "netns", hub, "type", "veth", "peer", "eth0", "netns", name)
        for where, device, last in ((hub, wire, 1), (name, "eth0", 2)):
            self._ip("-n", where, "address", "add", f"10.77.{number}.{last}/24", "dev", device)
            self._ip("-n", where, "link", "set", device, "up")
        self._ip("-n", name, "link", "set", "lo", "up")

    def _filter(self, how: str, number: int) -> None:
        for chain, option in (("INPUT", "-i"), ("OUTPUT", "-o")):
            rule = ["iptables", "-w", how, chain, option, f"w{number}", "-j", "DROP"]
            subprocess.run([*self.on("hub"), *rule], check=True, capture_output=True, text=True)

    @staticmethod
    def _ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def play_with_cuts(
    network: Network, words: Sequence[str], out: Path, cuts: Sequence[tuple[Sequence[int], float]]
) -> str:
    """Play a contest from the network's hub with cuts; return its output.

    Each cut has its workers and its seconds.
    """
    said = out.with_suffix(".txt")
    with said.open("w") as file:
        main = subprocess.Popen([*network.on("hub"), *words], stdout=file, stderr=file)
    try:
        for workers, seconds in cuts:
            _wait_for_more_games(out, main)
            for worker in workers:
                network.cut(worker)
            time.sleep(seconds)
            for worker in workers:
                network.mend(worker)
        code = main.wait(END_SECONDS)
    finally:
        main.kill()
        main.wait()
    text = said.read_text()
    assert code == 0, text
    assert "Traceback" not in text, text
    assert len(games_of(out)) > 0
    return text


def _wait_for_more_games(out: Path, main: subprocess.Popen[bytes]) -> None:
    before = played(out)
    give_up_at = time.monotonic() + START_SECONDS
    while played(out) <= before:
        assert main.poll() is None, f"the contest ended before it was cut off: {main.returncode}"
        assert time.monotonic() < give_up_at, "no game ended"
        time.sleep(0.1)
