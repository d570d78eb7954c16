"""Data between main process and workers: terms, reports, parcels and bots' files.

A *parcel* is a pickled call with a batch. It names its bots by content hash, and the worker fills
in its own folders. A worker's *store*, deleted with the worker, has a folder for each bot, named
after that hash. Only the disk records its content.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import packages_distributions
from pathlib import Path
from shlex import quote
from threading import Lock
from typing import Any

from arena.common.errors import StorageError
from arena.common.files import new_folder
from arena.common.packages import arena_version, installed_version
from arena.common.plain import from_plain
from arena.engine.machine_code import PLAY
from arena.game.record import Bot
from arena.host.sandbox.confining import Layers
from arena.intake.files import content_hash, folder_files
from arena.interfaces.contract import COURSES


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterTerms:
    software: Software
    modules: tuple[str, ...] = ()
    memory_mb: int = 0
    engine: bool = False
    places: int | None = None
    """Lanes of a worker, whatever its cores and memory; only for measurements."""

    @property
    def name(self) -> str:
        return f"arena-{hashlib.sha256(repr(self).encode()).hexdigest()[:8]}"

    @property
    def resource(self) -> str:
        return f"{self.name}-lane"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A worker's offer. Dask transports it as `as_plain`."""

    address: str
    id: str = ""
    lanes: int = 0

    why: str = ""
    """Why the worker has fewer lanes than threads, as a clause about it; or empty."""

    differences: tuple[str, ...] = ()
    """Differences of the worker's software, as clauses about the worker."""

    threads: int = 0
    host: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    free_mb: int = 0
    layers: str = ""

    @property
    def as_plain(self) -> dict[str, Any]:
        return {"report": asdict(self)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Report:
        known = plain["report"]
        return from_plain(cls, {**known, "differences": [*known["differences"]]})

    def __str__(self) -> str:
        return f"the worker {self.address} on {self.host}" if self.host else self.address


def layer_names(there: Layers) -> str:
    names = (
        (f"Landlock {there.landlock}", there.landlock),
        ("seccomp", there.seccomp),
        ("user ids", there.uids),
        ("namespaces", there.namespaces),
    )
    return ", ".join(name for name, is_there in names if is_there) or "none"


COMPARED = ("numpy", "numba")  # Packages that are compared for every contest.
MISSING = "none"


@dataclass(frozen=True, slots=True)
class Software:
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls, modules: Iterable[str] = ()) -> Software:
        versions = {
            "Arena": f"{arena_version()} ({_sources()})",
            "Python": platform.python_version(),
            "engine": PLAY,
        }
        versions |= {name: installed_version(name) or MISSING for name in COMPARED}
        if wanted := sorted(set(modules) - set(COMPARED)):
            known = packages_distributions()
            for module in wanted:
                packages = sorted(set(known.get(module, ())))
                versions[module] = ", ".join(map(installed_version, packages)) or MISSING
        return cls(versions)

    def differences(self, other: Software) -> Iterator[str]:
        for name, own in self.versions.items():
            found = other.versions.get(name, MISSING)
            if found != own:
                there = f"has {name} {found}" if found != MISSING else f"has no {name}"
                here = f"here it is {own}" if own != MISSING else "there is none here"
                yield f"{there}, {here}"


def _sources() -> str:
    """Return a hash of Arena's sources without house players, which are sent as all bots are."""
    digest = hashlib.sha256()
    for home in (Path(__file__).parents[1], COURSES):
        for path in sorted(home.rglob("*.py")):
            if (name := path.relative_to(home)).parts[0] != "bots":
                digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Parcel:
    content: bytes
    """The pickled function and argument, in which an index stands for each bot."""

    bots: tuple[Bot, ...]
    """The bots by index, with an empty `root`."""

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(bot.content_hash for bot in self.bots)

    def open(self, root_of: Callable[[str], str]) -> tuple[Callable[[Any], Any], Any]:
        """Return the function and its argument. `root_of` maps a content hash to a folder."""
        bots = [replace(bot, root=root_of(bot.content_hash)) for bot in self.bots]
        function, argument = _Unpickler(self.content, bots).load()
        return function, argument


def pack(function: Callable[[Any], Any], argument: object) -> tuple[Parcel, dict[str, str]]:
    """Return a parcel, and the folders of its bots on this machine by content hash."""
    content = io.BytesIO()
    pickler = _Pickler(content)
    pickler.dump((function, argument))
    roots = {bot.content_hash: bot.root for bot in pickler.bots}
    bots = tuple(replace(bot, root="") for bot in pickler.bots)
    return Parcel(content.getvalue(), bots), roots


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.bots: list[Bot] = []
        self._numbers: dict[object, int] = {}

    def persistent_id(self, value: Any) -> int | None:
        """Return a bot's index; None for other objects, which are pickled as usual."""
        if type(value) is not Bot:
            return None
        number = self._numbers.setdefault((value.identity, value.root), len(self.bots))
        if number == len(self.bots):
            self.bots.append(value)
        return number


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, bots: list[Bot]) -> None:
        super().__init__(io.BytesIO(content))
        self._bots = bots

    def persistent_load(self, number: Any) -> Bot:
        return self._bots[int(number)]


@dataclass(frozen=True, slots=True)
class BotFiles:
    content_hash: str

    files: tuple[tuple[str, bytes, bool], ...]
    """(name, content, executable) of each file."""

    @classmethod
    def read(cls, content_hash: str, root: Path) -> BotFiles:
        try:
            found = folder_files(root)
            files = tuple((name, data, found.is_executable(name)) for name, data in found.all())
        except (OSError, ValueError):
            files = ()
        if not files:
            raise StorageError(
                f"{root}: the files of a bot are missing; to copy them from the submissions: "
                f"arena verify {quote(str(root.parent.parent))} --repair"
            )
        return cls(content_hash, files)


class Store:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()

    def lacking(self, hashes: Iterable[str]) -> frozenset[str]:
        return frozenset(each for each in hashes if not (self._folder / each).is_dir())

    def root_of(self, content_hash: str) -> str:
        return str(self._folder / content_hash)

    def add(self, bots: Iterable[BotFiles]) -> None:
        """Add bots, each completely or not at all. Raises OSError, StorageError."""
        with self._lock:
            for bot in bots:
                if not (self._folder / bot.content_hash).is_dir():
                    self._add(bot)

    def _add(self, bot: BotFiles) -> None:
        with new_folder(self._folder / bot.content_hash) as new:
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
