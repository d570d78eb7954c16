"""Reading submissions in home mode, in an ordinary process.

The process is `python -m arena.intake.home_reader`. It reads requests from its input, each a line
of JSON, and writes the answers to its output. A request that takes too long ends it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from arena.common.errors import DEBUG, InternalError, ReaderDiedError, UnreadableError
from arena.common.system import windows_flags
from arena.intake.reading import (
    ENVIRONMENT,
    TRIES,
    Answers,
    ReadRequest,
    answer,
    answers_in,
    file_name,
    too_much,
    values_in,
)
from arena.interfaces import load_descriptions


class HomeReader:
    """The process, started on first use. Threads wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._lock:
            self._running()

    def answers(self, request: ReadRequest, modules: Sequence[str], most: int) -> Iterator[Any]:
        """Yield the answers to a request, after up to TRIES attempts."""
        with self._lock:
            for _ in range(TRIES):
                files: dict[str, None] = {}
                values = self._attempt(request, modules, most, files)
                if values is not None:
                    yield from values
                    return
        if files:
            raise UnreadableError(f"{file_name([*files])} crashes its reader")
        what = f"its reader ended {TRIES} times"
        raise ReaderDiedError(f"{request.subject} could not be read: {what}")

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None

    def _attempt(
        self, request: ReadRequest, modules: Sequence[str], most: int, files: dict[str, None]
    ) -> list[Any] | None:
        """Return the answers, None if the process ended early; add the read `files`."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(request.seconds, process.kill)
        timer.start()
        values: list[Any] = []
        is_whole = False
        try:
            with suppress(OSError):  # if the process has ended, no answer follows
                process.stdin.write(json.dumps([list(modules), request.plain()]).encode() + b"\n")
                process.stdin.flush()
            found = values_in(answers_in(process.stdout, most), files, request)
            while True:
                values.append(next(found))
        except StopIteration as last:
            is_whole = last.value
        except (UnreadableError, InternalError, OSError):
            is_whole = True  # these are last answers too
            raise
        finally:
            is_over = not timer.is_alive()
            timer.cancel()
            if not is_whole:
                self.end()
        if not is_whole and is_over:
            raise UnreadableError(too_much([*files], f"{request.seconds} s"))
        return values if is_whole else None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-m", "arena.intake.home_reader"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if DEBUG in os.environ else subprocess.DEVNULL,
                start_new_session=True,
                creationflags=windows_flags(),
                env=os.environ | ENVIRONMENT | {"PYTHONUTF8": "1"},
            )
        return self._process


def main() -> None:
    written = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # so nothing else that is printed garbles the answers
    channel = Answers(written.write)
    load_descriptions()
    for line in sys.stdin.buffer:
        modules, words = json.loads(line)
        request = ReadRequest(*words)
        for module in modules:
            import_module(module)
        answer(request, channel)
        written.flush()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, OSError):
        main()
