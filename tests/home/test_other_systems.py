"""What other systems do differently when a bot's process starts and ends."""

from __future__ import annotations

import ntpath
import os
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import psutil
import pytest

from arena.common.errors import UnreadableError
from arena.common.files import remove_tree
from arena.game.bot_player import BotPlayer
from arena.game.home_process import HomeStarter, _connected
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import RandomPlayer
from arena.game.record import NOBODY
from arena.host.stream import MessageStream
from arena.intake import archive, files
from support.bots import FIRST_FREE, MakeBot, key

LIMITS = Limits(load_seconds=20, move_seconds=10, memory_mb=256, nodes=None, home=True)
TOKEN = "0" * 32


@pytest.fixture
def starter() -> Iterator[HomeStarter]:
    started = HomeStarter()
    yield started
    started.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_the_clock_is_that_of_the_python_behind_a_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starter: HomeStarter, make_bot: MakeBot
) -> None:
    """On Windows the python.exe of a venv only starts another one, and waits for it."""
    launcher = tmp_path / "python"
    launcher.write_text(f'#!/bin/sh\n{sys.executable} "$@" <&0\nexit $?\n')
    launcher.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(launcher))
    with BotPlayer(starter, make_bot(FIRST_FREE), LIMITS) as player:
        record = play(key(NOBODY, NOBODY, limits=LIMITS), player, RandomPlayer())
        assert not record.verdict.is_fault
        assert player._process is not None
        process = starter._live[player._process.root]
        (real,) = psutil.Process(process.process.pid).children()
        assert process.clock._process == real
    gone, _ = psutil.wait_procs([real], timeout=10)
    assert gone or real.status() == psutil.STATUS_ZOMBIE  # whose new parent has not noticed it


def test_a_folder_that_a_bot_brought_is_there_in_its_next_games(
    starter: HomeStarter, make_bot: MakeBot
) -> None:
    reads = "open('data/table.txt').read()\nopen('notes.txt', 'w').close()\n"
    bot = make_bot(reads + FIRST_FREE)
    data = Path(bot.root, "data")
    data.mkdir()
    (data / "table.txt").write_text("a table")
    with BotPlayer(starter, bot, LIMITS) as player:
        processes = set()
        for seed in range(3):
            record = play(key(bot, NOBODY, limits=LIMITS, seed=seed), player, RandomPlayer())
            assert not record.verdict.is_fault, record.reason
            assert player._process is not None
            processes.add(player._process.root)
    assert len(processes) == 1


def test_a_stranger_at_the_port_is_not_taken_for_the_bot() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process,
    ):
        for said in (b"GET / HTTP/1.1\r\n", b""):
            with socket.create_connection(listener.getsockname()) as stranger:
                stranger.sendall(said)
        bot = socket.create_connection(listener.getsockname())

        def in_pieces() -> None:  # a connection is a stream
            MessageStream(bot).send(f"{TOKEN} 17".encode())

        thread = threading.Thread(target=in_pieces)
        thread.start()
        channel, pid = _connected(listener, process, TOKEN)
        thread.join()
        assert pid == 17
        bot.close()
        channel.close()
        process.kill()


@pytest.mark.parametrize("name", ["C:bot.py", "sub/C:bot.py"])
def test_a_path_on_another_drive_leaves_its_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "basename", ntpath.basename)
    assert not archive.is_safe_path(name)
    assert archive.is_safe_path("sub/bot.py")
    packed = tmp_path / "bot.zip"
    with zipfile.ZipFile(packed, "w") as written:
        written.writestr(name, FIRST_FREE)
    with pytest.raises(UnreadableError, match="a path that leaves its folder"):
        archive.ArchiveFiles(packed)


def test_files_have_the_same_order_and_so_the_same_hash_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = {name: tmp_path / name for name in ("a.py", "B.py")}
    monkeypatch.setattr(files, "Path", PureWindowsPath)  # which compares without case
    assert files.LooseFiles(paths).names == ("B.py", "a.py")


def test_a_read_only_file_is_removed_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows does not remove such a file."""
    folder, unlink = tmp_path / "bot", os.unlink
    folder.mkdir()
    (folder / "kept.txt").touch(mode=0o400)
    (folder / "bot.py").touch()

    def unlink_writable(path: str) -> None:
        if not os.stat(path).st_mode & 0o200:
            raise PermissionError(13, "Access is denied", path)
        unlink(path)

    monkeypatch.setattr(os, "unlink", unlink_writable)
    remove_tree(str(folder))
    assert not folder.exists()
