"""The machines that a contest was played on: `machines.json` in its folder.

Games of bots that run out of time depend on the machine.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.common.files import write_file
from arena.common.packages import DISTRIBUTION, arena_version, installed_version, needed_by_arena
from arena.common.plain import from_plain
from arena.common.system import available_cores

MACHINES = "machines.json"
# Variables of the environment that change what Arena does.
CHANGING = (
    *("ARENA_DEBUG", "ARENA_HOME", "NUMBA_CACHE_DIR", "NUMBA_CPU_FEATURES", "NUMBA_CPU_NAME"),
    *("NUMBA_DISABLE_JIT", "PYTHONPATH", "PYTHONSAFEPATH", "TMPDIR", "XDG_CACHE_HOME"),
)
OPTIONAL = ("distributed", "starlette", "uvicorn", "copydetect")  # Packages of the extras.
CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    processor: str
    """Model of the processor."""

    cores: int

    lanes: int
    """Number of lanes, each on its own core."""

    memory_mb: int
    """In MiB."""

    system: str
    """Operating system and kernel."""

    python: str
    numpy: str
    arena: str

    @classmethod
    def this(cls, lanes: int) -> Machine:
        import psutil  # most commands do not need it

        return cls(
            processor=_processor(),
            cores=os.cpu_count() or 1,
            lanes=lanes,
            memory_mb=psutil.virtual_memory().total >> 20,
            system=f"{platform.system()} {platform.release()}",
            python=platform.python_version(),
            numpy=installed_version("numpy"),
            arena=arena_version(),
        )


def record_machine(folder: Path, machine: Machine) -> None:
    """Add a machine to a contest's `machines.json`. Ignores write errors."""
    known = read_machines(folder)
    if machine not in known:
        data = [asdict(each) for each in (*known, machine)]
        with suppress(OSError):
            write_file(folder / MACHINES, json.dumps(data, indent=1) + "\n")


def read_machines(folder: Path) -> tuple[Machine, ...]:
    """Return the machines of a contest, oldest first; none if the file is damaged."""
    try:
        entries = json.loads((folder / MACHINES).read_bytes())
        return tuple(from_plain(Machine, entry) for entry in entries)
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def other_software(folder: Path) -> list[str]:
    """Return a sentence for each recorded machine whose processor or software differs."""
    here = Machine.this(1)
    unlike = set()
    for then in read_machines(folder):
        facts = (
            ("Arena", then.arena, here.arena),
            ("Python", then.python, here.python),
            ("numpy", then.numpy, here.numpy),
            ("processor", then.processor, here.processor),
        )
        unlike.add(
            ", ".join(f"{what} {one} then, {now} now" for what, one, now in facts if one != now)
        )
    where = "games of this contest were played on another machine"
    return [f"{where}: {each}" for each in unlike if each]


def shareable_facts() -> Iterator[str]:
    """Yield lines about this machine for strangers.

    They name no user, host, file or address, and of the environment's variables no values.
    """
    machine = Machine.this(0)
    yield f"Arena {machine.arena}, installed {_origin()}"
    bits = 64 if sys.maxsize > 1 << 32 else 32
    yield f"Python {machine.python}, {platform.python_implementation()}, {bits} bit"
    yield " ".join(filter(None, _system()))
    yield f"{machine.processor}, {platform.machine()}"
    yield f"{machine.cores} cores, {len(available_cores())} to use, {machine.memory_mb:,} MB"
    packages = sorted({*needed_by_arena(), *OPTIONAL})
    there = ((name, installed_version(name)) for name in packages)
    yield ", ".join(f"{name} {version}" for name, version in there if version)
    yield "set: " + (", ".join(name for name in CHANGING if name in os.environ) or "nothing")


def _origin() -> str:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        origin = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return "not at all"
    if origin.get("dir_info", {}).get("editable"):
        return "from a folder, to be edited"
    return "from a folder" if "dir_info" in origin else "from a file" if origin else "from an index"


def _system() -> Iterator[str]:
    release = platform.release()
    yield platform.system()
    yield release if os.name == "nt" else re.split(r"[^\d.]", release)[0]  # builders add names
    with suppress(OSError):
        linux = platform.freedesktop_os_release()
        yield linux["ID"]
        yield linux.get("VERSION_ID", "")
    yield " ".join(platform.libc_ver())
    if "microsoft" in release.lower():
        yield "in WSL"
    if any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")):
        yield "in a container"


def _processor() -> str:
    try:
        lines = CPUINFO.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.machine()
