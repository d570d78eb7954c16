"""The folder in which a bot plays: a copy of its files, which the bot may change.

A shared folder would show the bot other games, through a file's times or locks.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

TASKS = 64  # Most threads of a bot, in all its processes.
FILES = 256  # Files, folders and links that a bot may make.
FILE_SIZE = 16 << 20  # Bytes of the largest file a bot may write, including its output.

# From this total on, no more files can be opened for writing; open ones can grow to FILE_SIZE.
BYTES = 64 << 20
CACHE = ".numba"  # Folder for compiled code. It stays from game to game; all else is removed.
UNTOUCHED = 0  # Time of change of files as the bot brought them.


class BotFolder:
    def __init__(self, path: str, brought: Sequence[str]) -> None:
        """Use an existing folder, with these files in it, whose times are UNTOUCHED."""
        self.path = path
        self._brought = brought

    def enter(self) -> bool:
        """Change to the folder and remove what the last game left.

        Returns False if the bot has changed a file that it brought; this file is not restored.
        """
        os.chdir(self.path)
        for name in self._brought:
            try:
                if os.lstat(name).st_mtime_ns != UNTOUCHED:
                    return False
            except OSError:
                return False
        if os.stat(".").st_mtime_ns == UNTOUCHED:
            return True
        kept = {CACHE, *self._brought}
        for entry in [entry for entry in os.scandir(".") if entry.name not in kept]:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
        return True
