"""The machines that a contest was played on: `machines.json` in its folder.

Games of bots that run out of time depend on the machine.
"""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.common.files import write_file
from arena.common.plain import from_plain

MACHINES = "machines.json"
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
        from importlib.metadata import version  # most commands do not need it

        return cls(
            processor=_processor(),
            cores=os.cpu_count() or 1,
            lanes=lanes,
            memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
            system=f"{platform.system()} {platform.release()}",
            python=platform.python_version(),
            numpy=version("numpy"),
            arena=version("arena"),
        )


def record_machine(folder: Path, machine: Machine) -> None:
    """Add a machine to a contest's `machines.json`. Ignores write errors."""
    known = read_machines(folder)
    if machine not in known:
        data = [asdict(each) for each in (*known, machine)]
        with suppress(OSError):
            write_file(folder / MACHINES, json.dumps(data, indent=1) + "\n")


def read_machines(folder: Path) -> tuple[Machine, ...]:
    """Return the machines that a contest was played on, oldest first.

    Empty if the file is missing or damaged, as no result depends on it.
    """
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


def _processor() -> str:
    try:
        lines = CPUINFO.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.machine()
