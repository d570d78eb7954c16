"""`python -m tests.mutants`: put small faults into rooms, and list those that no test notices.

The operators are cosmic-ray's and two more: a call that is left out, and two arguments that are
swapped. `[tool.mutants]` in pyproject.toml names the rooms and, beside `tests/ROOM`, the tests that
a fault of a room has to pass. A copy of the project is changed, never the project itself.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any

import parso
from cosmic_ray.ast import ast_nodes, get_ast, is_none
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

HOME = Path(__file__).parents[1]
ENDLESS_SECONDS = 300
"""Tests that take longer count as failed: the fault made a loop endless."""


class DropCall(Operator):
    """Replace a statement that is a call by `pass`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type == "simple_stmt" and node.children[0].type == "atom_expr":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        nothing = parso.parse("pass").children[0]
        nothing.prefix = node.get_first_leaf().prefix  # the indentation
        node.children[0] = nothing
        return node

    @classmethod
    def examples(cls) -> Sequence[Any]:
        return ()


class SwapArguments(Operator):
    """Swap the first two arguments of a call that are given by position."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type != "arglist":
            return
        first, _, second = node.children[:3]
        if "argument" not in (first.type, second.type) and first.get_code() != second.get_code():
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        first, comma, second = node.children[:3]
        node.children[:3] = second, comma, first
        return node

    @classmethod
    def examples(cls) -> Sequence[Any]:
        return ()


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small fault."""

    room: str
    path: Path
    """Of the module, from the project's root."""
    line: int
    operator: str
    source: str
    """Of the whole module, with the fault."""

    def difference(self) -> str:
        """Return the lines that differ, with - and + before them."""
        original = (HOME / self.path).read_text().splitlines()
        lines = list(unified_diff(original, self.source.splitlines(), n=0, lineterm=""))
        return "\n".join(f"    {line}" for line in lines[3:])


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operator can change a module."""

    room: str
    path: Path
    """Of the module, from the project's root."""
    line: int
    operator: str
    occurrence: int
    """Of the operator in the module, counted from 0."""

    def mutant(self) -> Mutant | None:
        """Return the fault, None if the operator cannot make it after all."""
        original = (HOME / self.path).read_text()
        operator = _operators()[self.operator]
        try:
            made = MutationVisitor.mutate_code(original, operator, self.occurrence)
        except AttributeError:  # the operator of exceptions takes no dotted name
            return None
        if made is None or made == original:
            return None
        return Mutant(self.room, self.path, self.line, self.operator, made)


def _operators() -> dict[str, Operator]:
    """Return an operator for each name, without those that need arguments."""
    kinds = {name: get_operator(name) for name in operator_names() if name != "core/NoOp"}
    core = {name: kind() for name, kind in kinds.items() if not kind.arguments()}
    return {**core, "drop-call": DropCall(), "swap-arguments": SwapArguments()}


def _is_typing(node: Any) -> bool:
    """Return whether a fault here cannot show: in an annotation, a decorator, a union with None."""
    if node.type == "expr" and any(map(is_none, node.children)):
        return True
    while (parent := node.parent) is not None:
        index = parent.children.index(node)
        is_annotation = index > 0 and parent.children[index - 1].get_code().strip() in (":", "->")
        is_body = node.type in ("suite", "simple_stmt")
        if parent.type in ("annassign", "tfpdef", "funcdef") and is_annotation and not is_body:
            return True
        if parent.type == "decorator":
            return True
        node = parent
    return False


def places_of(room: str) -> list[list[Place]]:
    """Return the places of a room, those of several operators at one place in one list."""
    places: dict[tuple[Path, Any, Any], list[Place]] = defaultdict(list)
    for path in sorted((HOME / "arena" / room).rglob("*.py")):
        tree = get_ast(path.read_text())
        where = path.relative_to(HOME)
        for name, operator in _operators().items():
            occurrence = 0
            for node in ast_nodes(tree):
                for start, end in operator.mutation_positions(node):
                    if not _is_typing(node):
                        place = Place(room, where, start[0], name, occurrence)
                        places[where, start, end].append(place)
                    occurrence += 1
    return list(places.values())


def draw(rooms: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """Draw places of the rooms, and one operator for each."""
    drawn = random.Random(seed)
    places = [place for room in rooms for place in places_of(room)]
    drawn.shuffle(places)
    made = (drawn.choice(place).mutant() for place in places)
    return list(islice(filter(None, made), count))


@dataclass(frozen=True, slots=True)
class Workshop:
    """A copy of the project, in which one fault at a time is tried."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Workshop:
        """Copy what git knows of the project."""
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=HOME, capture_output=True, check=True
        )
        for name in listed.stdout.decode().split("\0")[:-1]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if (HOME / name).is_file():
                shutil.copy2(HOME / name, folder / name)
        return cls(folder)

    def notices(self, mutant: Mutant, commands: Sequence[Sequence[str]]) -> bool:
        """Return whether one of the commands fails because of the fault."""
        module = self.folder / mutant.path
        original = module.read_text()
        module.write_text(mutant.source)
        try:
            return not all(map(self.passes, commands))
        finally:
            module.write_text(original)

    def passes(self, arguments: Sequence[str]) -> bool:
        """Run pytest with the arguments in a session of its own, ended with all it started."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(self.folder), str(self.folder / "benchmarks"))),
            "PYTHONDONTWRITEBYTECODE": "1",  # a fault may come within the same second as the last
        }
        words = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *arguments]
        process = subprocess.Popen(
            words,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(ENDLESS_SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main() -> int:
    """Return 0 if the tests notice as large a share of the faults as asked."""
    settings = tomllib.loads((HOME / "pyproject.toml").read_text())["tool"]["mutants"]
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=settings["rooms"], help="default: %(default)s")
    parser.add_argument("--sample", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--at-once", type=int, default=os.cpu_count(), help="default: one a core")
    options = parser.parse_args()
    mutants = draw(options.rooms, options.sample, options.seed)
    commands = {
        room: [["-m", "not slow", f"tests/{room}"], [f"tests/{room}", *settings["also"][room]]]
        for room in {mutant.room for mutant in mutants}
    }
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mutants-")))
        idle: Queue[Workshop] = Queue()
        for number in range(options.at_once):
            idle.put(Workshop.make(folder / str(number)))

        def passes(room: str) -> bool:
            with _borrowed(idle) as workshop:
                return all(map(workshop.passes, commands[room]))

        def is_noticed(mutant: Mutant) -> bool:
            with _borrowed(idle) as workshop:
                return workshop.notices(mutant, commands[mutant.room])

        pool = stack.enter_context(ThreadPoolExecutor(options.at_once))
        for room, is_sound in zip(commands, pool.map(passes, commands), strict=True):
            if not is_sound:
                print(f"the tests of {room} fail without any fault: mend them first")
                return 2
        noticed = 0
        for mutant, is_killed in zip(mutants, pool.map(is_noticed, mutants), strict=True):
            noticed += is_killed
            if not is_killed:
                print(f"{mutant.path}:{mutant.line}: {mutant.operator}")
                print(mutant.difference(), flush=True)
    share = noticed / max(len(mutants), 1)
    print(f"seed {options.seed}: {noticed} of {len(mutants)} faults noticed ({share:.0%})")
    return int(share < settings["share"])


@contextmanager
def _borrowed(idle: Queue[Workshop]) -> Iterator[Workshop]:
    workshop = idle.get()
    try:
        yield workshop
    finally:
        idle.put(workshop)


if __name__ == "__main__":
    sys.exit(main())
