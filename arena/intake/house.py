"""The house players: bots that come with Arena, some of which play with its engine.

Only what is made here is a house player. What somebody handed in is one if it is the same file
under the same name, whatever it says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from arena.engine.ready import PLAY
from arena.intake.submission import Submission, read_own
from arena.naming import HOUSE, LEVELS, PLAYERS

MOST_NODES = 1_000_000_000
"""No engine's player may search more for one move: minutes go by."""

ENGINE_PLAYER = "reference"
"""The one that plays with Arena's engine, and may."""


def house_folder() -> Path:
    """The folder of the bots that come with Arena: in a checkout beside the package."""
    package = Path(__file__).parents[1]
    shipped = package / "bots"
    return shipped if shipped.is_dir() else package.parent / "bots"


def demo_bots() -> dict[str, Path]:
    """The other bots that come with Arena, one of each interface, by name."""
    return {name: path for name, path in _shipped().items() if name not in PLAYERS}


@cache
def house_player(name: str) -> Submission:
    """The house player of that name, one of PLAYERS."""
    file = ENGINE_PLAYER if name in LEVELS else name
    player = read_own(_shipped()[file])
    entry_point = replace(
        player.entry_point,
        options=LEVELS.get(name, {}),
        engine=PLAY if file == ENGINE_PLAYER else None,
    )
    return replace(player, name=name, house=True, entry_point=entry_point)


def _shipped() -> dict[str, Path]:
    """The files and folders of all bots that come with Arena, by name."""
    paths = sorted(house_folder().iterdir())
    return {path.stem: path for path in paths if not path.name.startswith(("_", "."))}


def house_submissions() -> tuple[Submission, ...]:
    """The house players that enter every contest."""
    return tuple(map(house_player, HOUSE))


def wrong_engine_option(options: Mapping[str, object]) -> str | None:
    """Return what is wrong with the first option that the engine's player cannot take, or None."""
    for name, value in options.items():
        match name:
            case "nodes" | "depth":
                if type(value) is not int or not 1 <= value <= MOST_NODES:
                    return f"{name} = {value!r}: expected a whole number, 1 to {MOST_NODES}"
            case "solve":
                if type(value) is not bool:
                    return f"{name} = {value!r}: expected true or false"
            case _:
                return f"{name}: no such option; known: nodes, depth, solve"
    return None
