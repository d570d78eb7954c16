"""Command lines as a user types them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli import main

Typed = Callable[..., tuple[object, str, str]]


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Typed:
    """`typed(word, …)`: exit code, output and errors of a command line, run in this process.

    For what ends before a bot is started: a process of its own would show no more.
    """

    def run(*words: object) -> tuple[object, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert "Traceback" not in said.err, said.err
        return ended.value.code, said.out, said.err

    return run
