"""Namespaces: a machine in which there is no network and nobody but one lane's bots.

The other layers do without; where these can be had they are a second wall, and nothing that a bot
may have started outlives its zygote, whose namespace ends with it. See namespaces(7).
"""

from __future__ import annotations

import os
import signal

from arena.host.kernel import prctl, set_capabilities, syscall

_UNSHARE = {"x86_64": 272, "aarch64": 97}
_NEW_USER, _NEW_IPC, _NEW_PID, _NEW_NET = 0x10000000, 0x08000000, 0x20000000, 0x40000000
_PR_SET_PDEATHSIG = 1


def unshare() -> None:
    """Have the next child be the first process of a world of its own. Raises OSError.

    Root's privileges are enough; others need a user namespace, in which they stay who they are.
    """
    flags = _NEW_IPC | _NEW_PID | _NEW_NET
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


def enter(*mine: int) -> bool:
    """Go on in a child in new namespaces, if they can be had; returns whether they could.

    This process then only waits for that child, having closed the descriptors `mine`, and ends
    as it did.
    """
    try:
        unshare()
    except OSError:
        return False
    child = os.fork()
    if child == 0:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.geteuid() != 0:
            set_capabilities(0)  # a user namespace had given it all there are
        return True
    for fd in mine:
        os.close(fd)
    os._exit(min(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])), 255))


def outer_pid() -> int:
    """This process's id as those outside see it: /proc is theirs."""
    return int(os.readlink("/proc/self"))
