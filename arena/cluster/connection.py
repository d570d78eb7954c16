"""Connections to a cluster: to a scheduler that runs, or to one made on this machine."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.common.errors import InputError
from arena.common.names import hint_for
from arena.common.text import counted
from arena.playing.lanes import available_cores

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10
"""Time in which a scheduler answers, or is not there."""

LOCAL = re.compile(r"local:(.*)")

KINDS = ("tcp", "tls", "local")
"""What stands before the first colon of an address."""

EXPECTED = "expected tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, or local:N"

TLS = (
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
)
"""The variables of the environment that name the certificates."""

DASK_ERRORS = (OSError, TimeoutError, RuntimeError, KeyError)
"""Errors that Dask raises where a scheduler or a worker does not answer any more."""

FOLDERS = "arena-dask-"
"""The prefix of the names of local clusters' folders; the process's number follows."""

QUIET = (
    *("distributed", "distributed.client", "distributed.gc"),
    *("tornado", "tornado.application", "bokeh", "asyncio"),
)
"""Loggers to which Dask gives handlers, which would write on the user's screen."""

SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.daemon": False,
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
}
"""Dask's settings on a cluster of this machine: it takes little of the lanes' cores, and writes
nothing on the screen."""


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A cluster that was named: an address, a file, or a number of workers is set."""

    address: str | None = None
    """Address of a scheduler."""

    file: Path | None = None
    """A scheduler file, which holds its address."""

    workers: int | None = None
    """Workers of a cluster on this machine."""

    threads: int = 1
    """Threads of each of these."""

    words: str = field(default="", compare=False)
    """What the user typed."""

    @classmethod
    def parse(cls, text: str) -> ClusterAddress:
        """Return the cluster that a user names. Raises InputError."""
        if local := LOCAL.fullmatch(text):
            cores = len(available_cores())
            if not local[1].isascii() or not local[1].isdigit() or int(local[1]) < 1:
                raise InputError(f"--cluster {text}: expected a number of workers, like local:2")
            if int(local[1]) > cores:
                raise InputError(
                    f"--cluster {text}: this machine has only {counted(cores, 'core')}, and each "
                    "worker needs one"
                )
            return cls(workers=int(local[1]), words=text)
        if re.fullmatch(r"(tcp|tls)://[^/\s]+:\d+", text):
            return cls(address=text, words=text)
        if "://" not in text and Path(text).is_file():
            return cls(file=Path(text), words=text)
        if text.endswith(".json") and not Path(text).exists():
            raise InputError(f"--cluster: there is no file {text}; is the scheduler running?")
        missing = "" if "://" in text or Path(text).exists() else "there is no such file; "
        kind, colon, _ = text.partition(":")
        is_mistyped = bool(colon) and kind not in KINDS
        hint = hint_for(kind, KINDS, "") if is_mistyped else ""
        raise InputError(f"--cluster {text}: {hint or missing + EXPECTED}")


@contextmanager
def dask_logs(logger: logging.Logger) -> Iterator[None]:
    """Have Dask's loggers write to one of Arena's, and nothing on the screen."""
    import distributed  # noqa: F401  (it sets its loggers up when it is imported)

    handler = _Forwarder(logger)
    for each in map(logging.getLogger, QUIET):
        each.handlers[:], each.propagate = [handler], False
        each.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:  # its threads may still write, so they stay quiet
        for each in map(logging.getLogger, QUIET):
            each.handlers[:] = [logging.NullHandler()]


class _Forwarder(logging.Handler):
    """Notes what Dask says. What matters to people the executor says itself."""

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__(logging.WARNING)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        """Log the first line of the record's message."""
        lines = record.getMessage().splitlines()
        self._logger.info("Dask: %s", lines[0] if lines else "")


class Cluster:
    """A cluster to which one connects, again and again if need be."""

    def __init__(self, place: ClusterAddress) -> None:
        """Make the cluster if it is one of this machine."""
        self.place = place
        self._stack = ExitStack()
        self.local: Any = None
        if place.workers is not None:
            self.local = self._stack.enter_context(_local_cluster(place.workers, place.threads))

    def connect(self) -> Client:
        """Return a new client of the scheduler. Raises InputError if that cannot be reached."""
        from distributed import Client

        how: dict[str, Any] = {}
        if self.local is not None:
            how["address"], how["security"] = self.local.scheduler_address, self.local.security
        else:
            how["address"] = self._address()
        try:
            if self.local is None and how["address"].startswith("tls://"):
                self._require_certificates()
            return Client(**how, timeout=CONNECT_SECONDS, set_as_default=False)
        except InputError:
            raise
        except (OSError, TimeoutError) as error:
            raise InputError(
                f"--cluster {self.place.words}: no scheduler answers there ({_reason(error)})"
            ) from None
        except (ValueError, TypeError, KeyError, RuntimeError, ImportError) as error:
            raise InputError(f"--cluster {self.place.words}: {_reason(error)}") from None

    def _address(self) -> str:
        """Return the scheduler's address, which Dask itself looks for in a file without end."""
        if self.place.file is None:
            return self.place.address or ""
        try:
            return str(json.loads(self.place.file.read_text())["address"])
        except FileNotFoundError:
            why = f"there is no file {self.place.file}; is the scheduler running?"
        except OSError as error:
            why = f"the scheduler file cannot be read ({error.strerror})"
        except (ValueError, KeyError, TypeError):
            why = "the scheduler file is damaged; it has no address of a scheduler"
        raise InputError(f"--cluster {self.place.words}: {why}")

    def _require_certificates(self) -> None:
        """Raise InputError if Dask is configured without them: its own client ends badly then."""
        from distributed.security import Security

        if Security().get_connection_args("client")["ssl_context"] is None:
            raise InputError(f"--cluster {self.place.words}: certificates are needed; set {TLS}")

    def close(self) -> None:
        """End the cluster if it is one of this machine."""
        self._stack.close()


def identity(client: Client) -> dict[str, Any]:
    """Return what a scheduler says of itself and of all its workers. Raises OSError.

    `Client.scheduler_info` may return instead what Dask's own periodic look, which leaves the
    workers out, has put in its place at the same moment.
    """
    scheduler: Any = client.scheduler
    known: dict[str, Any] = client.sync(scheduler.identity, n_workers=-1)
    return known


@contextmanager
def _local_cluster(workers: int, threads: int) -> Iterator[Any]:
    """A cluster of workers, with so many threads each, which nobody else here can use."""
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    _remove_left_over()
    prefix = f"{FOLDERS}{os.getpid()}-"
    # deleted last; Dask's workers may still write there while they are ended
    with (
        tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder,
        dask.config.set(SETTINGS),
        _quiet_tracker(),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            host="127.0.0.1",
            protocol="tls://",
            security=Security.temporary(),
            dashboard_address=None,
            local_directory=folder,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster


def _remove_left_over() -> None:
    """Remove the folders of processes that were killed and could not."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        pid = folder.name.removeprefix(FOLDERS).partition("-")[0]
        with suppress(OSError):
            if not Path(f"/proc/{pid}").exists() and folder.lstat().st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _quiet_tracker() -> Iterator[None]:
    """Start the process that removes what killed workers leave, so that it does not say so."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore::UserWarning:multiprocessing.resource_tracker"
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before
    yield


def _reason(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
