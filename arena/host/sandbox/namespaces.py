"""Namespaces: a machine in which there is no network and nobody but one lane's bots.

The other layers do without; where these can be had they are a second wall, nothing that a bot may
have started outlives its zygote, whose namespace ends with it, and each bot's scratch can be a file
system of its own, as large as it may get. See namespaces(7).

It also opens ways through private folders, to an interpreter in somebody's home. A bot that runs as
a user of its own cannot enter such a folder, whatever Landlock allows below it. In a mount
namespace the folder can be covered by an empty one in which only those ways are. See
mount_namespaces(7).
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
    """Have the next child be the first process of a world of its own. Raises OSError.

    Root's privileges are enough; others need a user namespace, in which they stay who they are.
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
    _mount(b"none", b"/", None, _PRIVATE | _RECURSIVE, None)  # what is mounted here stays here


def available() -> bool:
    """Return True if all of this can be had: where only some is, it could not be undone."""

    def all_of_it() -> None:
        unshare()
        mount_scratch("/", size=1 << 12, files=2)  # over what only this child then sees

    return works(all_of_it)


def enter(*mine: int) -> bool:
    """Go on in a child in new namespaces, if they can be had; returns whether they could.

    This process then only waits for that child, having closed the descriptors `mine`, and ends
    as it did.
    """
    if not available():
        return False
    unshare()
    child = os.fork()
    if child == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.geteuid() != 0:
            # a user namespace had given it all there are; to mount is all it needs
            set_capabilities(1 << _CAP_SYS_ADMIN)
        return True
    for fd in mine:
        os.close(fd)
    os._exit(min(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])), 255))


def outer_pid() -> int:
    """This process's id as those outside see it: /proc is theirs."""
    return int(os.readlink("/proc/self"))


def mount_scratch(path: str, size: int, files: int) -> None:
    """Put an empty file system of so many bytes and files on a folder. Raises OSError."""
    options = f"size={size},nr_inodes={files},mode=0700".encode()
    _mount(b"none", os.fsencode(path), b"tmpfs", _NO_SUID_DEVICES, options)


def mount_empty(path: str) -> None:
    """Cover a folder with an empty one that all may enter. Raises OSError."""
    _mount(b"none", os.fsencode(path), b"tmpfs", _NO_SUID_DEVICES, b"size=1m,mode=0755")


def mount_again(opened: int, path: str) -> None:
    """Have a file or folder, open as a descriptor, appear at a second path. Raises OSError."""
    source = f"/proc/self/fd/{opened}".encode()
    _mount(source, os.fsencode(path), None, _BIND | _RECURSIVE, None)


def own_mounts() -> None:
    """Have what this process mounts and unmounts from now on be its own matter. Raises OSError."""
    syscall(_UNSHARE[os.uname().machine], _NEW_MOUNTS)


def unmount(path: str) -> None:
    """Take it off, with all that is in it. Raises OSError."""
    syscall(_UNMOUNT[os.uname().machine], os.fsencode(path), _DETACH)


def unmount_below(folder: str) -> None:
    """Take off whatever is mounted in a folder."""
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
    """The first folder on the way to one of these paths that others than its owner cannot pass."""
    for path in sorted(paths):
        parts = os.path.abspath(path).split(os.sep)[:-1]
        for end in range(1, len(parts)):
            folder = os.sep.join(parts[: end + 1])
            if not os.stat(folder).st_mode & stat.S_IXOTH:
                return folder
    return None


def needed() -> frozenset[str]:
    """Return the paths of this interpreter and of Arena that every bot reads, and their targets."""
    package = str(Path(__file__).parents[2])
    paths = (
        sys.prefix,
        sys.base_prefix,
        sys.executable,
        package,
        *filter(os.path.exists, sys.path),
    )
    return frozenset(by(path) for path in paths for by in (os.path.abspath, os.path.realpath))


def open_up(paths: Iterable[str]) -> tuple[str, ...]:
    """Have every user reach these files and folders; returns the folders that were covered.

    If anything is not to be had in that way, nothing is covered.
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
    """Take the covers off again."""
    for folder in covered:
        with suppress(OSError):
            unmount(folder)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Those of the paths that lie in no other of them."""
    found: list[str] = []
    for path in sorted(paths):
        if not any(path.startswith(other + os.sep) for other in found):
            found.append(path)
    return found


def _cover(folder: str, paths: list[str], covered: list[str]) -> None:
    """Cover a folder with one in which only these paths are. Raises OSError."""
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
