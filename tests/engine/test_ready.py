"""The engine is compiled once, by a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.engine.ready import Piece, compile_engine
from arena.errors import InputError, MachineError


def test_what_is_compiled_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    list(compile_engine())
    monkeypatch.setattr(subprocess, "Popen", None)
    assert list(compile_engine()) == []


def test_progress_is_passed_on_and_a_failure_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = tmp_path / "python"
    compiler.write_text(
        "#!/bin/sh\necho search: 6 of 24 functions\necho 'Traceback\nOSError: full' >&2\nexit 1\n"
    )
    compiler.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(compiler))
    monkeypatch.setattr("arena.engine.ready.is_compiled", lambda *_: False)
    said = compile_engine(Piece.SEARCH)
    assert next(said) == "compiling the engine's search, once"
    assert next(said) == "compiling the engine's search, once: 6 of 24 functions"
    with pytest.raises(InputError, match=r"^Arena's engine cannot be compiled: OSError: full \("):
        next(said)


@pytest.mark.parametrize("kills", [1, 2])
def test_what_compiles_is_started_again_if_it_is_killed(
    kills: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler, starts = tmp_path / "python", tmp_path / "starts"
    compiler.write_text(
        f"#!/bin/sh\necho once >> {starts}\ntest $(wc -l < {starts}) -gt {kills} || kill -KILL $$\n"
    )
    compiler.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(compiler))
    monkeypatch.setattr("arena.engine.ready.is_compiled", lambda *_: False)
    if kills == 1:
        list(compile_engine(Piece.SEARCH))
    else:
        with pytest.raises(MachineError, match="as SIGKILL ended the process that does it"):
            list(compile_engine(Piece.SEARCH))
    assert len(starts.read_text().splitlines()) == 2
