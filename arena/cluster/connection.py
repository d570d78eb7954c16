"""Connections to a running scheduler, or to a cluster on this machine."""

from __future__ import annotations

import json
import logging
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.common.errors import InputError
from arena.common.packages import DISTRIBUTION, pip_install
from arena.common.system import available_cores
from arena.common.text import counted, quote
from arena.game.bot_process import scratch

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger("arena.cluster")
CONNECT_SECONDS = 10
LOCAL = re.compile(r"local:(.*)")
EXPECTED = "expected tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, or local:N"

# Environment variables for the certificates.
TLS = (
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
)

# Raised by Dask if a scheduler or worker does not answer.
DASK_ERRORS = (OSError, TimeoutError, RuntimeError, KeyError)

# Loggers with Dask's handlers, which would print on the screen.
QUIET = (
    *("distributed", "distributed.client", "distributed.gc"),
    *("tornado", "tornado.application", "bokeh", "asyncio"),
)

# For clusters on this machine: little load on the lanes' cores, nothing on the screen.
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


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A cluster that the user named, by one of `address`, `file` and `workers`."""

    address: str | None = None
    file: Path | None = None
    workers: int | None = None
    threads: int = 1
    words: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> ClusterAddress:
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
        raise InputError(f"--cluster {text}: {missing}{EXPECTED}")


def require_distributed(what: str = "--cluster") -> None:
    """Raise InputError if Dask's distributed, which `what` needs, is not installed."""
    if find_spec("distributed") is None:
        extra = quote(f"{DISTRIBUTION}[cluster]")
        raise InputError(f"{what} needs Dask: {pip_install((extra,))}")


@contextmanager
def dask_logs() -> Iterator[None]:
    import distributed  # noqa: F401  (it sets its loggers up when it is imported)

    handler = _Forwarder(logging.WARNING)
    for each in map(logging.getLogger, QUIET):
        each.handlers[:], each.propagate = [handler], False
        each.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:  # Dask's threads may still log
        for each in map(logging.getLogger, QUIET):
            each.handlers[:] = [logging.NullHandler()]


class _Forwarder(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        log.info("Dask: %s", record.getMessage().partition("\n")[0])


class Cluster:
    def __init__(self, place: ClusterAddress, local: Any = None) -> None:
        """`local` is Dask's cluster if it runs on this machine."""
        self.place, self.local = place, local

    @classmethod
    @contextmanager
    def open(cls, place: ClusterAddress) -> Iterator[Cluster]:
        """Yield the cluster, started if it runs here. Dask's log goes to Arena's.

        Raises InputError.
        """
        require_distributed()
        with dask_logs():
            if place.workers is None:
                yield cls(place)
            else:
                with _local_cluster(place.workers, place.threads) as local:
                    yield cls(place, local)

    def connect(self) -> Client:
        from distributed import Client

        address, security = self._address(), self.local and self.local.security
        try:
            if security is None and address.startswith("tls://"):
                self._require_certificates()
            how: dict[str, Any] = {"timeout": CONNECT_SECONDS, "set_as_default": False}
            return Client(address, security=security, **how)
        except InputError:
            raise
        except (OSError, TimeoutError) as error:
            raise InputError(
                f"--cluster {self.place.words}: no scheduler answers there ({_reason(error)})"
            ) from None
        except (ValueError, TypeError, KeyError, RuntimeError, ImportError) as error:
            raise InputError(f"--cluster {self.place.words}: {_reason(error)}") from None

    def _address(self) -> str:
        """Return the scheduler's address. Dask itself would wait forever for a missing file."""
        if self.place.file is None:
            return self.place.address or str(self.local.scheduler_address)
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
        from distributed.security import Security

        if Security().get_connection_args("client")["ssl_context"] is None:
            raise InputError(f"--cluster {self.place.words}: certificates are needed; set {TLS}")


def identity(client: Client) -> dict[str, Any]:
    """Return a scheduler's description; `scheduler_info` may lack the workers.

    Raises OSError.
    """
    scheduler: Any = client.scheduler
    known: dict[str, Any] = client.sync(scheduler.identity, n_workers=-1)
    return known


@contextmanager
def _local_cluster(workers: int, threads: int) -> Iterator[Any]:
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    # `folder` is deleted last, because workers write there until they have ended
    with (
        scratch() as folder,
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
            local_directory=str(folder),
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster


@contextmanager
def _quiet_tracker() -> Iterator[None]:
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
