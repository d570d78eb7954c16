"""Stepping through a game on a terminal, by keys."""

from __future__ import annotations

from time import monotonic

from rich.console import Console
from rich.live import Live

from arena.cli.keys import Key, Keys
from arena.report.frame import frame
from arena.report.replayed import Replay

PLY_SECONDS = 0.6
"""Seconds for a ply while the game plays by itself."""

LOOK_SECONDS = 0.25
"""Seconds after which the size of the terminal is looked at again."""

KEYS = ("→ ← step", "Home End", "space plays", "q quits", "b next blunder")
"""What keys do, the last of a game that was analysed."""


class Stepper:
    """A place in a game, moved by keys."""

    def __init__(self, replay: Replay) -> None:
        """Begin after the opening, as the bots do."""
        self._replay = replay
        self.ply = replay.opening_plies
        """Discs on the board."""
        self.is_playing = False
        """True while it goes on by itself."""
        self.has_left = False
        """True once somebody has had enough."""

    def press(self, key: str) -> None:
        """Do what a key is for; a key without a meaning changes nothing."""
        before, self.is_playing = self.is_playing, False
        match key:
            case Key.RIGHT | "l":
                self._go(self.ply + 1)
            case Key.LEFT | "h":
                self._go(self.ply - 1)
            case Key.HOME:
                self._go(0)
            case Key.END:
                self._go(self._replay.plies)
            case "b":
                later = [ply for ply in self._replay.blunders if ply > self.ply]
                self._go(min(later or self._replay.blunders, default=self.ply))
            case " ":
                self.is_playing = not before
                if self.ply == self._replay.plies:
                    self._go(self._replay.opening_plies)
            case "q" | Key.ESCAPE | Key.CLOSED:
                self.has_left = True
            case _:
                self.is_playing = before

    def tick(self) -> None:
        """Go on by a ply if the game plays by itself."""
        if self.is_playing:
            self._go(self.ply + 1)
            self.is_playing = self.ply < self._replay.plies

    def _go(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self._replay.plies)


def step_through(replay: Replay, console: Console) -> None:
    """Show a game on a terminal until whoever looks at it leaves."""
    stepper = Stepper(replay)
    said = " · ".join(KEYS if replay.blunders else KEYS[:-1])
    with Keys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        shown, ticked_at = None, monotonic()
        while not stepper.has_left:
            size = console.size
            if shown != (now := (stepper.ply, size)):
                shown = now
                drawn = frame(replay, stepper.ply, size.width, size.height, said)
                live.update(drawn, refresh=True)
            key = keys.next(LOOK_SECONDS)
            if key is not None:
                stepper.press(key)
                ticked_at = monotonic()
            elif monotonic() - ticked_at >= PLY_SECONDS:
                stepper.tick()
                ticked_at = monotonic()
