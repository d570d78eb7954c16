"""Killing the processes of a contest at random moments.

A game whose bot was killed is played again, three times in a contest; a second such end in one game
is the bot's fault. So no bot is killed twice in one game, or more than three times. At most one bot
of each zygote is killed, because a game starts again with a new zygote.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import psutil

from arena.contest.retirement import MOST

Kinds = defaultdict[str, list[psutil.Process]]  # The living processes of a contest by kind.

# How often each kind is drawn: a main process takes a second to play again.
SHARES = MappingProxyType({"main": 1, "lane": 2, "zygote": 2, "bot": 4})
PATIENCE_SECONDS = 300  # An undisturbed contest ends by then, unless it hangs.


def living(main: int) -> Kinds:
    """Return the processes of the contest of a main process."""
    found: Kinds = defaultdict(list)
    with suppress(psutil.Error):
        process = psutil.Process(main)
        found["main"].append(process)
        add_lanes(found, process)
    return found


def add_lanes(found: Kinds, parent: psutil.Process) -> None:
    """Add the lanes among a process's children, with their zygotes and bots."""
    for lane in parent.children():
        with suppress(psutil.Error):
            zygotes = [child for child in lane.children() if is_zygote(child)]
            if not zygotes:
                continue
            found["lane"].append(lane)
            for zygote in zygotes:
                found["zygote"].append(zygote)
                found["bot"] += zygote.children(recursive=True)


def is_zygote(process: psutil.Process) -> bool:
    return "arena.host.zygote" in process.cmdline()


def bot_of(process: psutil.Process) -> str | None:
    """Return the file of a bot in its process's folder; None before it exists."""
    with suppress(OSError):
        return next((file.name for file in Path(f"/proc/{process.pid}/cwd").glob("bot*.py")), None)
    return None


class Contest:
    """A contest that is killed again and again, and continued until it ends."""

    def __init__(
        self,
        words: Sequence[str],
        seed: int,
        *,
        pause_seconds: float = 0.4,
        look: Callable[[int], Kinds] = living,
        shares: Mapping[str, int] = SHARES,
    ) -> None:
        """`words` are a command line that plays missing games; `look` finds its processes.

        `pause_seconds` is the average time between kills. `shares` tells how often each kind is
        drawn.
        """
        self.killed: Counter[str] = Counter()
        """Kills so far, by the kind of the process."""
        self.ends: Counter[int] = Counter()
        """Exit codes of the main processes that ended by themselves."""
        self._words, self._look, self._shares = words, look, shares
        self._chance, self._pause = random.Random(seed), pause_seconds
        self._robbed: set[int] = set()
        self._hit: Counter[str] = Counter()
        self._main: subprocess.Popen[str] | None = None

    def play(self, kills: int, log: Path) -> None:
        """Play it to its end with this number of kills, while games are left."""
        while True:
            with log.open("a+") as out:
                out.seek(0)
                out.truncate()
                self._main = subprocess.Popen(
                    self._words, stdout=out, stderr=out, text=True, start_new_session=True
                )
                try:
                    while self._main.poll() is None and self.killed.total() < kills:
                        time.sleep(self._chance.uniform(0, 2 * self._pause))
                        self._kill_one()
                    code = self._main.wait(PATIENCE_SECONDS)
                finally:
                    self._main.kill()
                    self._main.wait()
            said = log.read_text()
            assert "Traceback" not in said, said
            if code != -signal.SIGKILL:
                self.ends[code] += 1
                if code == 0:
                    return
                # games were given up, or no scheduler was there: the next run plays them
                assert code == 1 or "--cluster" in said, said

    def _kill_one(self) -> None:
        """Kill a process of the kind drawn, if there is one."""
        assert self._main is not None
        if self._main.poll() is not None:
            return
        (kind,) = self._chance.choices(list(self._shares), list(self._shares.values()))
        victims = self._look(self._main.pid)[kind]
        if kind == "bot":
            victims = [
                bot
                for bot in victims
                if self._zygote_of(bot) not in self._robbed
                and (name := bot_of(bot)) is not None
                and self._hit[name] < MOST
            ]
        if not victims:
            return
        victim = self._chance.choice(sorted(victims, key=lambda process: process.pid))
        with suppress(psutil.Error):
            if kind == "bot":
                self._robbed.add(self._zygote_of(victim))
                self._hit[str(bot_of(victim))] += 1
            victim.kill()
            self.killed[kind] += 1

    @staticmethod
    def _zygote_of(bot: psutil.Process) -> int:
        """Return the process id of a bot's zygote; 0 if the bot has ended."""
        with suppress(psutil.Error):
            return next((each.pid for each in bot.parents() if is_zygote(each)), 0)
        return 0
