"""Gradescope's folders in a separate root, so that its real scripts run.

The root is an overlay, so changes stay in it. It has this Python's packages except Arena, so pip,
which gets no network, finds them installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import TracebackType
from typing import Any
from zipfile import ZipFile

import arena
from arena.engine.machine_code import cache_folder, compile_engine
from support.deprived import deprived

HOME = Path(arena.__file__).parents[1]
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"

MOUNT = """
set -e
mount -t overlay overlay -o lowerdir=/,upperdir=$1/root,workdir=$1/work $1/new
for folder in proc dev sys; do mount --rbind /$folder $1/new/$folder; done
mkdir -p $1/new/autograder/source $1/new/autograder/results $1/new/$3
mount -t overlay overlay -o lowerdir=$2,upperdir=$1/packages,workdir=$1/work2 $1/new/$3
echo mounted
exec sleep infinity
"""

START = "import os; os.chdir('/autograder'); os.execv('./run_autograder', ['run_autograder'])"
PATIENCE_SECONDS = 240


def can_be_laid_out() -> bool:
    """Return True if this process may mount."""
    trial = ["unshare", "-m", "--propagation", "private", "true"]
    return os.geteuid() == 0 and subprocess.run(trial, capture_output=True).returncode == 0


class Gradescope:
    """An image, and its containers, one after the other."""

    def __init__(self, base: Path, archive: Path) -> None:
        """Create the folders, with the archive unpacked in /autograder/source."""
        for name in ("root", "work", "new", "packages", "work2"):
            (base / name).mkdir(parents=True)
        packages = f"autograder/venv/lib/{VERSION}/site-packages"
        self._namespace = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", MOUNT, "sh", base]
            + [sysconfig.get_path("purelib"), packages],
            stdout=subprocess.PIPE,
        )
        assert self._namespace.stdout is not None
        self._new = base / "new"
        assert self._namespace.stdout.readline() == b"mounted\n"
        self.folder = Path(f"/proc/{self._namespace.pid}/root{base}/new/autograder")
        """Its folder /autograder, seen from here."""
        self.printed = ""
        """All that the last run printed."""
        self._hide_arena(self.folder.parent / packages)
        with ZipFile(archive) as packed:
            packed.extractall(self.folder / "source")
        shutil.copy(self.folder / "source" / "run_autograder", self.folder / "run_autograder")
        (self.folder / "run_autograder").chmod(0o755)

    def __enter__(self) -> Gradescope:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._namespace.kill()
        self._namespace.communicate()

    def set_up(self) -> subprocess.CompletedProcess[str]:
        return self.run("bash", "/autograder/source/setup.sh")

    def grade(
        self,
        files: dict[str, str | bytes],
        metadata: dict[str, Any] | None = None,
        without: tuple[int, ...] = (),
    ) -> dict[str, Any]:
        """Return the results of run_autograder for these files, `without` some calls."""
        submission = self.folder / "submission"
        shutil.rmtree(submission, ignore_errors=True)
        submission.mkdir()
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (submission / name).parent.mkdir(parents=True, exist_ok=True)
            (submission / name).write_bytes(data)
        (self.folder / "submission_metadata.json").write_text(json.dumps(metadata or {}))
        python = "/autograder/venv/bin/python"
        done = self.run(python, *deprived(without, "-c", START))
        assert done.returncode == 0, done.stderr
        results: dict[str, Any] = json.loads((self.folder / "results" / "results.json").read_text())
        self.printed = done.stdout + done.stderr
        return results

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command inside as root, with no network for pip."""
        inside = ["nsenter", f"--mount=/proc/{self._namespace.pid}/ns/mnt", "chroot", self._new]
        environment = {"PATH": f"{_python_home()}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        environment |= {"PIP_NO_INDEX": "1", "LANG": "C.UTF-8"}
        return subprocess.run(
            [*inside, *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )

    def _hide_arena(self, packages: Path) -> None:
        """Remove Arena except its machine code."""
        for path in (*packages.glob("arena*-*.dist-info"), packages / "arena"):
            shutil.rmtree(path, ignore_errors=True)
        for path in packages.glob("*arena*.pth"):
            path.unlink()
        assert os.environ["NUMBA_CPU_NAME"] == "generic"  # as in setup.sh
        list(compile_engine())
        folder = cache_folder()
        assert folder is not None
        shutil.copytree(folder, packages / "arena" / "engine" / "__pycache__" / folder.name)


def _python_home() -> Path:
    """Return the folder of a Python of this version that all users can read."""
    common = Path("/usr/bin")
    return common if (common / VERSION).exists() else Path(sys.base_prefix) / "bin"
