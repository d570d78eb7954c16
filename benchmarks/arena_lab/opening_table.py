"""Build the table of opening values: `python -m arena_lab.opening_table`.

Solves every position of the last ply, in an order in which neighbours share much of their search;
values of fewer plies follow from these. Each value is saved at once in a file beside the table, so
a killed run can be continued. `--book` instead asks BitBully, another solver with a book of twelve
plies: seconds instead of hours. The table does not depend on how it was built. `--check` compares
each value with its moves' values and with published ones, and solves some positions again.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from random import Random
from threading import Lock

import numpy as np

from arena.common.files import partial_path
from arena.engine.opening_values import (
    MOST_PLIES,
    OFFSET,
    RULES,
    TABLE,
    VALUE_BITS,
    Entries,
    OpeningValues,
    key_of,
    value_of,
)
from arena.engine.solver import Solver
from arena.rules import Position

# Undecided positions at each ply, mirror images counted once.
POSITIONS = (1, 4, 25, 121, 568, 2144, 8231, 27109, 91295)

# Values of the first moves for their player (Allis 1988, Allen 1988; Pons' scores).
FIRST_MOVES = (-2, -1, 0, 1, 0, -1, -2)
Faces = dict[int, tuple[int, ...]]  # Positions of a ply: key, and moves that lead to it.


def faces(plies: int) -> list[Faces]:
    """Return the undecided positions of every ply up to `plies`."""
    found: list[Faces] = [{key_of(Position(RULES).rack(), 0): ()}]
    for _ in range(plies):
        after: Faces = {}
        for moves in found[-1].values():
            for child in _after(Position(RULES, moves)):
                if not child.is_over:
                    after.setdefault(key_of(child.rack(), child.to_move), child.moves)
        found.append(after)
    return found


def _after(position: Position) -> Iterator[Position]:
    """Yield the position itself after each legal move, which is then taken back."""
    for column in position.legal():
        position.play(column)
        yield position
        position.undo()


def solved(
    wanted: Faces, threads: int, table_bits: int, known: OpeningValues | None, partial: Path
) -> dict[int, int]:
    """Return the value of every wanted position.

    Values are saved in the file `partial`; those saved there before are not solved again. The
    threads share a table of 2 ** `table_bits` entries.
    """
    values = _values(_whole_entries(partial))
    left = iter([(key, wanted[key]) for key in sorted(wanted) if key not in values])
    first = Solver(RULES, table_bits=table_bits, known=known)
    lock = Lock()

    def work(solver: Solver) -> None:
        for key, moves in left:  # the threads take turns
            value = solver.value(Position(RULES, moves))
            with lock:
                values[key] = value
                file.write(np.uint64(entry_of(key, value)).tobytes())
                print(f"{len(values)} of {len(wanted)}", flush=True)

    with partial.open("ab", buffering=0) as file, ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, first.sharing()) for _ in range(threads)]:
            done.result()
    return {key: values[key] for key in wanted}


def booked(wanted: Faces) -> dict[int, int]:
    """Return the value of every wanted position, from the packages bitbully and its databases."""
    core = import_module("bitbully.bitbully_core")
    books = import_module("bitbully_databases").BitBullyDatabases
    solver = core.BitBullyCore(books.get_database_path("12-ply-dist"))
    values = {}
    for key, moves in wanted.items():
        board = core.BoardCore()
        board.play(list(moves))
        values[key] = max(solver.scoreMoves(board))  # illegal moves have very low scores
    return values


def _whole_entries(partial: Path) -> Entries:
    """Return the entries that an earlier run saved, without a half written last one."""
    partial.touch()
    size = partial.stat().st_size
    with partial.open("r+b") as file:
        file.truncate(size - size % 8)
    return np.fromfile(partial, np.uint64)


def entry_of(key: int, value: int) -> int:
    return key << VALUE_BITS | value + OFFSET


def negamax(position: Position, values: Mapping[int, int]) -> int:
    """Return a position's value, given the values of positions one ply later."""
    return max(
        (RULES.cells - child.ply + 2) // 2
        if child.is_over
        else -values[key_of(child.rack(), child.to_move)]
        for child in _after(position)
    )


def table(found: list[Faces], values: dict[int, int]) -> Entries:
    for wanted in reversed(found[:-1]):
        values |= {key: negamax(Position(RULES, moves), values) for key, moves in wanted.items()}
    return np.sort(np.array([entry_of(*each) for each in values.items()], np.uint64))


def check(entries: Entries, sample: int) -> str:
    """Check a table; return its size in words. Raises ValueError for the first fault.

    Solves `sample` positions of the table's last ply again.
    """
    values = _values(entries)
    plies = next(n for n in range(MOST_PLIES + 1) if sum(POSITIONS[: n + 1]) >= len(entries))
    found = faces(plies)
    if tuple(map(len, found)) != POSITIONS[: plies + 1] or values.keys() != set().union(*found):
        raise ValueError(f"positions are missing, or not of up to {plies} plies")
    for wanted in found[:-1]:
        for key, moves in wanted.items():
            if values[key] != negamax(Position(RULES, moves), values):
                raise ValueError(f"after {moves}: not the value of the best move")
    firsts = [values[key_of(each.rack(), each.to_move)] for each in _after(Position(RULES))]
    if tuple(-value for value in firsts) != FIRST_MOVES:
        raise ValueError(f"the first moves are worth {FIRST_MOVES}, not {firsts}")
    solver = Solver(RULES, table_bits=24)
    for key in Random(0).sample(sorted(found[-1]), min(sample, len(found[-1]))):
        if (value := solver.value(Position(RULES, found[-1][key]))) != values[key]:
            raise ValueError(f"after {found[-1][key]}: {values[key]}, but solved {value}")
    return f"{len(entries)} positions of up to {plies} plies, {sample} solved again"


def _values(entries: Entries) -> dict[int, int]:
    return {entry >> VALUE_BITS: value_of(entry) for entry in map(int, entries)}


def main() -> int:
    parser = ArgumentParser(prog="python -m arena_lab.opening_table", description=__doc__)
    parser.add_argument("--plies", type=int, default=MOST_PLIES, choices=range(1, MOST_PLIES + 1))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table-bits", type=int, default=26, help="memory, 8 << BITS bytes")
    parser.add_argument("--out", type=Path, default=TABLE)
    parser.add_argument("--known", type=Path, help="a table of fewer plies, to save time")
    parser.add_argument(
        "--book", action="store_true", help="take values of BitBully's: pip install bitbully"
    )
    parser.add_argument(
        "--check", type=int, metavar="SAMPLE", help="check OUT, solving SAMPLE positions"
    )
    given = parser.parse_args()
    if given.check is None:
        found, partial = faces(given.plies), partial_path(given.out)
        known = OpeningValues(np.load(given.known)) if given.known else None
        if given.book:
            values = booked(found[-1])
        else:
            values = solved(found[-1], given.threads, given.table_bits, known, partial)
        np.save(given.out, table(found, values))
        partial.unlink(missing_ok=True)
    print(check(np.load(given.out), given.check or 0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
