"""Namespaces: a machine without a network, in which only one lane's bots exist.

They are a second wall that no other layer depends on (namespaces(7)). All that bots start ends with
the zygote's namespace. They also allow a size-limited file system per bot.

A bot with a separate user cannot enter a private folder, such as a home with the interpreter,
whatever Landlock allows. So an empty folder that contains only the needed paths is mounted over it
(mount_namespaces(7)).
"""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from arena.host.sandbox.kernel import PR_SET_PDEATHSIG, prctl, set_capabilities, syscall, works
from arena.interfaces.contract import COURSES

_UNSHARE = {"x86_64": 272, "aarch64": 97}
_MOUNT = {"x86_64": 165, "aarch64": 40}
_UNMOUNT = {"x86_64": 166, "aarch64": 39}
_NEW_USER, _NEW_IPC, _NEW_PID, _NEW_NET = 0x10000000, 0x08000000, 0x20000000, 0x40000000
_NEW_MOUNTS = 0x00020000
_NO_SUID_DEVICES = 0b0110
_BIND, _PRIVATE, _RECURSIVE = 1 << 12, 1 << 18, 1 << 14
_DETACH = 2
_CAP_SYS_ADMIN = 21


def unshare() -> None:
    """Put the next child into new namespaces. Raises OSError.

    Users other than root need a user namespace as well, and keep their id in it.
    """
    flags = _NEW_IPC | _NEW_PID | _NEW_NET | _NEW_MOUNTS
    user, group = os.geteuid(), os.getegid()
    if user != 0:
        flags |= _NEW_USER
    syscall(_UNSHARE[os.uname().machine], flags)
    if user != 0:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    _mount(b"none", b"/", None, _PRIVATE | _RECURSIVE, None)  # others do not see later mounts


def available() -> bool:
    """Return True if all namespaces are available."""

    def all_of_it() -> None:
        unshare()
        mount_scratch("/", size=1 << 12, files=2)  # visible only to this child

    return works(all_of_it)


def enter(*mine: int) -> bool:
    """Continue in a child in new namespaces, if available; return whether they are.

    The parent closes the descriptors `mine`, waits, and exits with the child's status.
    """
    if not available():
        return False
    unshare()
    child = os.fork()
    if child == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.geteuid() != 0:
            # a user namespace grants all capabilities; keep only the one for mounting
            set_capabilities(1 << _CAP_SYS_ADMIN)
        return True
    for fd in mine:
        os.close(fd)
    os._exit(min(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])), 255))


def outer_pid() -> int:
    """Return this process's id outside its namespace."""
    return int(os.readlink("/proc/self"))


def mount_scratch(path: str, size: int, files: int) -> None:
    """Mount an empty file system of `size` bytes and `files` files. Raises OSError."""
    options = f"size={size},nr_inodes={files},mode=0700".encode()
    _mount(b"none", os.fsencode(path), b"tmpfs", _NO_SUID_DEVICES, options)


def mount_empty(path: str) -> None:
    """Cover a folder with an empty one that all users may enter. Raises OSError."""
    _mount(b"none", os.fsencode(path), b"tmpfs", _NO_SUID_DEVICES, b"size=1m,mode=0755")


def mount_again(opened: int, path: str) -> None:
    """Mount an open file or folder at a second path. Raises OSError."""
    source = f"/proc/self/fd/{opened}".encode()
    _mount(source, os.fsencode(path), None, _BIND | _RECURSIVE, None)


def own_mounts() -> None:
    """Let later mounts affect only this process. Raises OSError."""
    syscall(_UNSHARE[os.uname().machine], _NEW_MOUNTS)


def unmount(path: str) -> None:
    syscall(_UNMOUNT[os.uname().machine], os.fsencode(path), _DETACH)


def unmount_below(folder: str) -> None:
    with open("/proc/self/mounts") as mounts:
        targets = [line.split()[1] for line in mounts]
    for target in targets:
        if target.startswith(folder + os.sep):
            with suppress(OSError):
                unmount(target)


def _mount(
    source: bytes, target: bytes, kind: bytes | None, flags: int, options: bytes | None
) -> None:
    syscall(_MOUNT[os.uname().machine], source, target, kind, flags, options)


def private_folder(paths: Iterable[str]) -> str | None:
    """Return the first folder above one of these paths that not every user may enter."""
    for path in sorted(paths):
        parts = os.path.abspath(path).split(os.sep)[:-1]
        for end in range(1, len(parts)):
            folder = os.sep.join(parts[: end + 1])
            if not os.stat(folder).st_mode & stat.S_IXOTH:
                return folder
    return None


def needed() -> frozenset[str]:
    """Return the paths of this interpreter and of Arena, and the targets of links."""
    package = str(Path(__file__).parents[2])
    paths = (
        sys.prefix,
        sys.base_prefix,
        sys.executable,
        package,
        str(COURSES),
        *filter(os.path.exists, sys.path),
    )
    return frozenset(by(path) for path in paths for by in (os.path.abspath, os.path.realpath))


def open_up(paths: Iterable[str]) -> tuple[str, ...]:
    """Make these paths reachable for every user; return the folders covered for that.

    If a step fails, no folder is covered.
    """
    left = _outermost(paths)
    covered: list[str] = []
    try:
        while (folder := private_folder(left)) is not None:
            below = [path for path in left if path.startswith(folder + os.sep)]
            left = [path for path in left if path not in below]
            _cover(folder, below, covered)
    except OSError:
        close(covered)
        return ()
    return tuple(covered)


def close(covered: Iterable[str]) -> None:
    for folder in covered:
        with suppress(OSError):
            unmount(folder)


def _outermost(paths: Iterable[str]) -> list[str]:
    found: list[str] = []
    for path in sorted(paths):
        if not any(path.startswith(other + os.sep) for other in found):
            found.append(path)
    return found


def _cover(folder: str, paths: list[str], covered: list[str]) -> None:
    there = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths}
    mask = os.umask(0o022)
    try:
        mount_empty(folder)
        covered.append(folder)
        for path, opened in there.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if stat.S_ISDIR(os.fstat(opened).st_mode):
                os.mkdir(path)
            else:
                with open(path, "xb"):
                    pass
            mount_again(opened, path)
    finally:
        os.umask(mask)
        for opened in there.values():
            os.close(opened)
