"""The house players: bots that come with Arena, some of which use its engine.

Only this module creates them. A submission is a house player only if file and name are equal.
Also checks a contest file's options for bots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from arena.common.names import HOUSE, LEVELS, PLAYERS, SPARRING, hint_for, house_folder
from arena.engine.machine_code import PLAY
from arena.intake.submission import Submission, read_own
from arena.interfaces import interface_of, is_program
from arena.interfaces.binding import plain
from arena.interfaces.contract import COURSES
from arena.interfaces.described import Described
from arena.interfaces.one_move import DEPTH
from arena.interfaces.one_move import NAME as ONE_MOVE
from arena.interfaces.program import COMMAND, INTERPRETER

MOST_NODES = 1_000_000_000  # Most nodes per move of the engine's players: takes minutes.
ENGINE_PLAYER = "reference"  # The only bot that may use Arena's engine.


def demo_bots() -> dict[str, Path]:
    """Return the bots that come with Arena but are no house players, by name."""
    return {name: path for name, path in _shipped().items() if name not in PLAYERS}


@cache
def house_player(name: str) -> Submission:
    options = LEVELS.get(name, {})
    level_of = SPARRING if "looks" in options else ENGINE_PLAYER
    file = level_of if options else name
    player = _read_once(_shipped()[file])
    engine = PLAY if file == ENGINE_PLAYER else None
    entry_point = replace(player.entry_point, options=options, engine=engine)
    return replace(player, name=name, house=True, entry_point=entry_point)


_read_once = cache(read_own)


def _shipped() -> dict[str, Path]:
    paths = [path for path in sorted(house_folder().iterdir()) if path.name != COURSES.name]
    return {path.stem: path for path in paths if not path.name.startswith(("_", "."))}


def house_submissions() -> tuple[Submission, ...]:
    return tuple(map(house_player, HOUSE))


def wrong_engine_option(options: Mapping[str, object]) -> str | None:
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


def wrong_option(submission: Submission, options: Mapping[str, object]) -> str | None:
    taken = options_taken(submission) if options and submission.problem is None else None
    if taken is None:
        return None
    kind = interface_of(submission.entry_point)
    known = kind.with_synonyms(taken) if isinstance(kind, Described) else set(map(plain, taken))
    for option in options:
        if plain(option) not in known:
            hint = hint_for(option, taken, f"it takes {', '.join(taken) or 'none'}")
            return f"the bot takes no {option!r}; {hint}"
    return None


def options_taken(submission: Submission) -> list[str] | None:
    """Return the names of the bot's options; None if its sources do not show them."""
    if is_program(submission.entry_point.interface):
        depth = [DEPTH] if submission.entry_point.interface == ONE_MOVE else []
        return [COMMAND, INTERPRETER, *depth]
    return None if submission.parameters is None else list(submission.parameters)
