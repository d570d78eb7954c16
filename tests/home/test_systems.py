"""What systems do differently: locks, keys, quotes, encodings, names of devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.replay import KEY, stepped
from arena.common.names import plain_name
from arena.common.system import is_locked, lock
from arena.common.text import quote

LOCKING = """
import pathlib, sys
from arena.common.system import lock
held = lock(pathlib.Path("file"))
print(held is not None, flush=True)
sys.stdin.read()
"""
PRINTING = """
import sys
from arena.cli.streams import prepare_streams
prepare_streams()
print(sys.argv[1])
print(sys.argv[1], file=sys.stderr)
"""


def test_a_lock_ends_with_its_process_and_leaves_an_empty_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert not is_locked(file) and not file.exists()
    command = [sys.executable, "-c", LOCKING]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, text=True, **pipes) as other:  # type: ignore[call-overload]
        assert other.stdout.readline() == "True\n"
        assert is_locked(file)
        assert lock(file) is None
        other.kill()
        other.communicate()
    assert not is_locked(file)
    held = lock(file)
    assert held is not None
    held.close()
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("file", 0)]


def test_what_cannot_be_locked_is_no_lock_of_another(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text" * 1000)
    with pytest.raises(OSError, match="cannot be locked"):
        lock(tmp_path / "file")
    assert not is_locked(tmp_path / "file")


@pytest.mark.parametrize(
    ("word", "posix", "windows"),
    [
        ("results", "results", "results"),
        (r"C:\Users\ann\x-1.py", r"'C:\Users\ann\x-1.py'", r"C:\Users\ann\x-1.py"),
        (r"C:\My bots", r"'C:\My bots'", r'"C:\My bots"'),
        ("a&b", "'a&b'", '"a&b"'),
        ("", "''", '""'),
    ],
)
def test_words_of_printed_commands_are_quoted_for_the_systems_shell(
    word: str, posix: str, windows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quote(word) == posix
    monkeypatch.setattr(os, "name", "nt")
    assert quote(word) == windows


@pytest.mark.parametrize(
    ("encoding", "seen"),
    [
        ("utf-8", "→ Zoë 7×6 ±3 … ━│ 17½ 漢"),
        ("cp1252", "> Zoë 7×6 ±3 … -| 17½ ?"),
        ("ascii", "> Zoe 7x6 ~3 ... -| 17.5 ?"),
    ],
)
def test_characters_that_an_encoding_lacks_become_plain_ones(encoding: str, seen: str) -> None:
    text = "→ Zoë 7×6 ±3 … ━│ 17½ 漢"
    command = [sys.executable, "-X", "utf8", "-c", PRINTING, text]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONIOENCODING": encoding}, capture_output=True, check=True
    )
    assert done.stdout.decode(encoding) == done.stderr.decode(encoding) == f"{seen}\n"


@pytest.mark.parametrize(
    ("name", "safe"),
    [("con", "con_"), ("Nul.x", "Nul_.x"), ("com1", "com1_"), ("console", "console")],
)
def test_no_bot_is_called_like_a_device_of_windows(name: str, safe: str) -> None:
    assert plain_name(name) == plain_name(safe) == safe


@pytest.mark.parametrize(
    ("key", "ply"),
    [("\xe0K", 2), ("\xe0M", 4), ("\x00G", 0), ("\xe0O", 7), (" ", 4), ("q", None), ("x", 3)],
)
def test_keys_of_windows_console(key: str, ply: int | None) -> None:
    replay: Any = SimpleNamespace(plies=7, blunders=())
    assert KEY.findall(2 * key) == [key, key]
    assert stepped(replay, 3, key) == ply
