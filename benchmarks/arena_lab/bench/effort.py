"""How often each thing is measured, and how large what is measured is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Repetitions and sizes. The default's figures can be compared between versions."""

    rounds: int = 9
    """Rounds of everything that is measured in turns with something else."""

    round_trips: int = 5000
    """Bare round trips of a round."""

    starts: int = 15
    """Bots started from each zygote."""

    program_games: int = 3
    """Games of a program against itself."""

    nodes: int = 400_000
    """Positions that the engine searches in a round."""

    games: int = 4000
    """Games of random against random."""

    runs: int = 3
    """Runs of a contest inside this process, and of a command that takes seconds."""

    crowd: int = 200
    """Quick bots in a large class."""

    crowd_games: int = 8000
    """Games of it that are played."""

    thinkers: int = 40
    """Bots in the contests that tell the utilisation."""

    many_bots: int = 300
    """Bots in the large contest; it has ten openings."""

    many_games: int = 100_000
    """Games of the long contest, between five bots."""

    few_games: int = 1000
    """Games of the short contest that it is compared with."""

    few: int = 10
    """Bots in a small class whose contest begins, or which is checked."""

    many: int = 50
    """Bots in a usual class."""

    solved: int = 75
    """Positions that are solved."""

    openings: int = 21
    """Openings that are solved."""

    opening_plies: int = 7
    """Their plies: one more than those of the table."""


USUAL = Effort()
