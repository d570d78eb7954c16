"""The terms on which workers offer lanes, their reports, and the software that must be the same.

Parcels, and a worker's store of the bots that they need.

A parcel is a batch and what is to be done with it, as bytes that travel to another machine.

A bot's folder lies elsewhere there. So a parcel names its bots by their contents; whoever opens it
says where their files are.

A store has a folder for each bot, named after the hash of its contents. What lies on the disk is
the only record of what is there. The store goes with its worker.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import platform
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from shlex import quote
from threading import Lock
from typing import Any

from arena.common.errors import StorageError
from arena.common.files import new_folder
from arena.common.plain import from_plain
from arena.engine.machine_code import PLAY
from arena.game.record import Bot
from arena.host.sandbox.confining import Layers
from arena.intake.files import content_hash, folder_files
from arena.machine.facts import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterTerms:
    """The needs of a contest, the same for all workers."""

    software: Software
    """The software of the main process, which every worker has to have."""

    modules: tuple[str, ...] = ()
    """Modules that its bots import, beyond Python's own and theirs."""

    memory_mb: int = 0
    """The memory of a bot, in MiB."""

    engine: bool = False
    """True if a bot plays with Arena's engine."""

    places: int | None = None
    """Lanes of a worker, whatever its cores and its memory; only to measure with."""

    @property
    def name(self) -> str:
        """The name of the workers' plugin: contests with the same terms share one."""
        return f"arena-{hashlib.sha256(repr(self).encode()).hexdigest()[:8]}"

    @property
    def resource(self) -> str:
        """Dask's name for a lane on these terms."""
        return f"{self.name}-lane"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A worker's offer. It travels as a mapping of plain values, see `as_plain`."""

    address: str
    """The worker's address."""

    id: str = ""
    """The worker's own name, which no other has."""

    lanes: int = 0
    """The lanes that it offers."""

    why: str = ""
    """Why they are fewer than its threads, a clause about the worker; empty if they are not."""

    differences: tuple[str, ...] = ()
    """Each difference of its software from the main process's, a clause about the worker."""

    threads: int = 0
    """The worker's threads."""

    host: str = ""
    """The name of its machine."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of its software."""

    machine: Mapping[str, Any] = field(default_factory=dict)
    """The fields of a Machine."""

    free_mb: int = 0
    """Memory that is free there, in MiB."""

    layers: str = ""
    """The layers of its sandbox."""

    @property
    def as_plain(self) -> dict[str, Any]:
        """The report as a mapping, for `from_plain`; Dask adds some of its own to it."""
        return {"report": asdict(self)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Report:
        """Return the report that a mapping is made of."""
        known = plain["report"]
        return from_plain(cls, {**known, "differences": [*known["differences"]]})

    def machine_with(self, lanes: int) -> Machine:
        """Return its machine, with so many lanes of it in use."""
        return Machine(**{**self.machine, "lanes": lanes})

    def __str__(self) -> str:
        return f"the worker {self.address} on {self.host}" if self.host else self.address


def layer_names(there: Layers) -> str:
    """Return the layers of a machine's sandbox as a list in words."""
    names = (
        (f"Landlock {there.landlock}", there.landlock),
        ("seccomp", there.seccomp),
        ("user ids", there.uids),
        ("namespaces", there.namespaces),
    )
    return ", ".join(name for name, is_there in names if is_there) or "none"


COMPARED = ("numpy", "numba")
"""Packages that every contest depends on."""

MISSING = "none"


@dataclass(frozen=True, slots=True)
class Software:
    """Versions on one machine."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """The version of each thing, by its name; MISSING where it is not installed."""

    @classmethod
    def here(cls, modules: Iterable[str] = ()) -> Software:
        """Return what is on this machine, with the packages that these modules are from."""
        versions = {
            "Arena": f"{_version('arena')} ({_sources()})",
            "Python": platform.python_version(),
            "engine": PLAY,
        }
        versions |= {name: _version(name) for name in COMPARED}
        if wanted := sorted(set(modules) - set(COMPARED)):
            known = packages_distributions()
            for module in wanted:
                packages = sorted(set(known.get(module, ())))
                versions[module] = ", ".join(map(_version, packages)) or MISSING
        return cls(versions)

    def differences(self, other: Software) -> Iterator[str]:
        """Yield a clause for each difference of another machine from this one."""
        for name, own in self.versions.items():
            found = other.versions.get(name, MISSING)
            if found != own:
                there = f"has {name} {found}" if found != MISSING else f"has no {name}"
                here = f"here it is {own}" if own != MISSING else "there is none here"
                yield f"{there}, {here}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return MISSING


def _sources() -> str:
    """Return 8 digits over Arena's sources: between two versions they may differ.

    The house players do not count: they are in the package only once it is installed, and travel
    to workers like all bots.
    """
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        if (name := path.relative_to(package)).parts[0] != "bots":
            digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Parcel:
    """A call of a function with one argument."""

    content: bytes
    """The function and its argument, pickled, with numbers in the place of bots."""

    bots: tuple[Bot, ...]
    """The bots by these numbers. Their `root` is empty."""

    @property
    def needs(self) -> frozenset[str]:
        """The content hashes of the bots whose files are needed."""
        return frozenset(bot.content_hash for bot in self.bots)

    def open(self, root_of: Callable[[str], str]) -> tuple[Callable[[Any], Any], Any]:
        """Return the function and its argument. `root_of` a content hash is a bot's folder."""
        bots = [replace(bot, root=root_of(bot.content_hash)) for bot in self.bots]
        function, argument = _Unpickler(self.content, bots).load()
        return function, argument


def pack(function: Callable[[Any], Any], argument: object) -> tuple[Parcel, dict[str, str]]:
    """Return a parcel, and the folders here of the bots in it by their content hashes."""
    content = io.BytesIO()
    pickler = _Pickler(content)
    pickler.dump((function, argument))
    roots = {bot.content_hash: bot.root for bot in pickler.bots}
    bots = tuple(replace(bot, root="") for bot in pickler.bots)
    return Parcel(content.getvalue(), bots), roots


class _Pickler(pickle.Pickler):
    """Writes a number in the place of each bot, wherever it occurs."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.bots: list[Bot] = []
        self._numbers: dict[object, int] = {}

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a bot; None for anything else, which is pickled as it is."""
        if type(value) is not Bot:
            return None
        number = self._numbers.setdefault((value.identity, value.root), len(self.bots))
        if number == len(self.bots):
            self.bots.append(value)
        return number


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` wrote."""

    def __init__(self, content: bytes, bots: list[Bot]) -> None:
        super().__init__(io.BytesIO(content))
        self._bots = bots

    def persistent_load(self, number: Any) -> Bot:
        """Return the bot of that number."""
        return self._bots[int(number)]


MOST_BOTS = 2000
"""Bots that a store holds; those go first that were not played for longest."""


@dataclass(frozen=True, slots=True)
class BotFiles:
    """A bot's files, as they travel."""

    content_hash: str
    """The hash of their names and bytes."""

    files: tuple[tuple[str, bytes, bool], ...]
    """Name, bytes, and whether it can be run as a program, of each file."""

    @classmethod
    def read(cls, content_hash: str, root: Path) -> BotFiles:
        """Read a bot's folder. Raises StorageError if it cannot be read."""
        try:
            found = folder_files(root)
            files = tuple((name, data, found.is_executable(name)) for name, data in found.all())
        except (OSError, ValueError):
            files = ()
        if not files:
            raise StorageError(
                f"{root}: the files of a bot are gone; this copies them from where they were "
                f"handed in: arena verify {quote(str(root.parent.parent))} --repair"
            )
        return cls(content_hash, files)


class Store:
    """The bots of one worker."""

    def __init__(self, folder: Path, most: int = MOST_BOTS) -> None:
        """Use a folder, which is made when a bot is put there."""
        self._folder, self._most = folder, most
        self._in_use: Counter[str] = Counter()
        self._lock = Lock()

    def lacking(self, hashes: Iterable[str]) -> frozenset[str]:
        """Return those of these bots that are not in the store."""
        return frozenset(each for each in hashes if not (self._folder / each).is_dir())

    def root_of(self, content_hash: str) -> str:
        """Return the folder of a bot that is in the store."""
        return str(self._folder / content_hash)

    def add(self, bots: Iterable[BotFiles]) -> None:
        """Put bots there, each whole or not at all, and make room.

        Raises OSError, and StorageError if files are not those that their hash stands for.
        """
        with self._lock:
            for bot in bots:
                self._add(bot)
                self._make_room()

    @contextmanager
    def using(self, hashes: Iterable[str]) -> Iterator[None]:
        """Keep these bots until the block ends."""
        needed = list(hashes)
        with self._lock:
            self._in_use.update(needed)
        try:
            yield
        finally:
            with self._lock:
                self._in_use.subtract(needed)
                self._in_use += Counter()  # drops what is used no more

    def drop(self, hashes: Iterable[str]) -> None:
        """Forget bots whose files are not as they were."""
        for each in hashes:
            shutil.rmtree(self._folder / each, ignore_errors=True)

    def _add(self, bot: BotFiles) -> None:
        folder = self._folder / bot.content_hash
        if folder.is_dir():
            return
        with new_folder(folder) as new:
            for name, data, is_program in bot.files:
                target = new / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                if is_program:
                    target.chmod(0o755)
            if content_hash(folder_files(new)) != bot.content_hash:
                raise StorageError(
                    f"the files of bot {bot.content_hash} are not those that it was entered with"
                )

    def _make_room(self) -> None:
        """Remove bots that are too many and not in use, the oldest first."""
        there = [path for path in self._folder.iterdir() if path.name not in self._in_use]
        there.sort(key=lambda path: path.stat().st_mtime)
        for path in there[: max(0, len(there) + len(self._in_use) - self._most)]:
            shutil.rmtree(path, ignore_errors=True)


def read_bots(roots: Mapping[str, str], hashes: Iterable[str]) -> tuple[BotFiles, ...]:
    """Return the files of these bots, whose folders here are known. Raises StorageError."""
    return tuple(BotFiles.read(each, Path(roots[each])) for each in sorted(hashes))
