"""Confining a bot's process, step by step, before a line of the bot's code runs.

`confine` is called once, in the child of the zygote's fork. Its layers add up: resource limits
bound what a bot can use, a user id and Landlock what it can open, seccomp what it can ask the
kernel for. Their order matters and is the order of `confine`.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from glob import glob

from arena.host import landlock, namespaces, seccomp
from arena.host.kernel import PR_SET_PDEATHSIG, prctl, set_capabilities, works
from arena.host.scratch import FILE_SIZE
from arena.host.supervisor import TASKS
from arena.interfaces import Profile

CHANNEL = 3
"""Descriptor of the bot's channel to the referee."""

SUPERVISOR = 4
"""Descriptor of the socket to the zygote, while a process is being confined."""

RULES = 5
"""Descriptor of Landlock's rules, until they are in force."""

PR_SET_DUMPABLE, PR_SET_KEEPCAPS = 4, 8
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
PR_CAP_AMBIENT_RAISE = 2

CAP_DAC_READ_SEARCH = 2

ADDRESS_SPACE = 4 << 30
"""Bytes. Far above the memory limit: thread arenas reserve address space they never touch."""

OPEN_FILES = 32

PROGRAM_ADDRESS_SPACE = 1 << 40
"""Bytes. A virtual machine reserves for its heap and its code what it may never touch."""

PROGRAM_OPEN_FILES = 128

UID_RANGES = ((2_000_000_000, 1 << 22), (61_184, 4_336))
"""Where bots' user ids come from: a range as wide as process ids and far from people's, or else
the one that systemd keeps for services without a name, which small containers map too."""

READABLE = (
    *("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/localtime", "/etc/ld.so.cache", "/etc/os-release", "/etc/mime.types"),
    *("/etc/ssl/openssl.cnf", "/sys/devices/system/cpu", "/proc/cpuinfo"),
    *("/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/version"),
    *("/dev/zero", "/dev/random", "/dev/urandom"),
)
"""What ordinary programs read and what says nothing of anybody's work."""

ABOUT_ITSELF = ("fd", "maps", "stat", "statm", "status")
"""What it may read below /proc/self: not `net`, `mountinfo` and the like, which tell of others."""

ENGINE = "engine"
"""The folder of Arena's package that no bot may read: house players have it loaded."""

EXECUTABLE = ("/usr", "/bin", "/lib", "/lib64")

JAVA_SETTINGS = "/etc/java-*"
"""Where Debian keeps the part of Java's own files that an administrator may want to change."""


@dataclass(frozen=True, slots=True)
class Layers:
    """Which layers this machine has."""

    landlock: int
    """Version of Landlock, 0 for none."""

    seccomp: bool
    """Whether system calls can be filtered."""

    uids: tuple[int, int] | None
    """First and number of the user ids that bots can be given, if they can."""

    namespaces: bool
    """Whether a zygote and its bots can be in namespaces of their own."""

    @property
    def user(self) -> int | None:
        """The user id that this process gets when it is confined, if bots can be given some."""
        if self.uids is None:
            return None
        first, count = self.uids
        return first + namespaces.outer_pid() % count

    @property
    def enough(self) -> bool:
        """Whether strangers' code may be run: it cannot harm processes or files, even if, for
        want of Landlock, it can read."""
        return self.seccomp or self.uids is not None

    def create(self, mounted: bool) -> int:
        """What seccomp is to decide on calls that make a file, in a scratch that is `mounted`."""
        if not self.landlock:
            return seccomp.REFUSE  # or a bot could write wherever its user can
        return seccomp.ALLOW if mounted else seccomp.NOTIFY

    def signals(self, profile: Profile) -> bool:
        """Whether such a bot may signal what other layers leave within its reach: its own."""
        return profile is Profile.PROGRAM and self.landlock >= landlock.SCOPE_ABI


def layers() -> Layers:
    """Find out by trying, each in a child process."""
    if sys.platform != "linux":
        return Layers(0, False, None, False)

    def forbid_most() -> object:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        return seccomp.restrict(programs=False, create=seccomp.NOTIFY, signals=False)

    def become_first_of(uids: tuple[int, int]) -> Callable[[], object]:
        return lambda: _become(uids[0], (), programs=False)

    root = os.geteuid() == 0
    return Layers(
        landlock.abi() if works(lambda: os.close(_file_rules("/", Profile.MODULE))) else 0,
        works(forbid_most),
        next((uids for uids in UID_RANGES if root and works(become_first_of(uids))), None),
        namespaces.available(),
    )


@cache
def rehearse(layers: Layers, mounted: bool, profile: Profile = Profile.MODULE) -> None:
    """Do once, before any fork, what takes long the first time `confine` does it."""
    _most_tasks(layers)
    if layers.landlock:
        os.close(_file_rules("/", profile))
    if layers.seccomp:
        seccomp.program_for(
            programs=profile is Profile.PROGRAM,
            create=layers.create(mounted),
            signals=layers.signals(profile),
        )


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends, and end now if it already has."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def hide_memory() -> None:
    """Keep other processes of the same user from reading or tracing this one."""
    prctl(PR_SET_DUMPABLE, 0)


def confine(
    *,
    channel: int,
    output: int,
    supervisor: int,
    parent: int,
    memory_mb: int,
    folder: str,
    mounted: bool,
    layers: Layers,
    profile: Profile = Profile.MODULE,
    tool: tuple[str, ...] = (),
) -> int | None:
    """Turn a fork of the zygote into a bot's process. Raises OSError if any layer fails.

    Keeps `channel` as descriptor CHANNEL, `supervisor` as SUPERVISOR and `output` as standard
    output and error. `folder` is the bot's alone and has its files, `mounted` if it is a file
    system of its own; `tool` is what else a program needs to be run.
    Returns the descriptor on which the supervisor sees files being made, if it is asked.
    """
    # a session of its own: a terminal's Ctrl-C and a stray killpg go past it
    os.setsid()
    # what it may open: the rules are made while every path can be
    rules = _file_rules(folder, profile, tool) if layers.landlock else None
    # nothing to read, nothing but its own output to write, no descriptor of the zygote's
    rules = keep_only(channel, output, supervisor, rules)
    # no environment: no secrets, no settings that differ from machine to machine
    os.environ.clear()
    os.environ.update(LANG="C.UTF-8", PATH="/usr/bin:/bin")
    # DATA is the memory limit: it counts what is allocated, address space what is reserved
    memory = memory_mb << 20
    limit(resource.RLIMIT_DATA, memory)
    programs = profile is Profile.PROGRAM
    space = PROGRAM_ADDRESS_SPACE if programs else ADDRESS_SPACE
    limit(resource.RLIMIT_AS, max(space, 2 * memory))
    limit(resource.RLIMIT_FSIZE, FILE_SIZE)
    limit(resource.RLIMIT_NOFILE, PROGRAM_OPEN_FILES if programs else OPEN_FILES)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_MEMLOCK, 0)
    limit(resource.RLIMIT_MSGQUEUE, 0)
    limit(resource.RLIMIT_NPROC, _most_tasks(layers))
    # a user of its own owns nothing, and cannot signal, trace or limit its neighbours
    if (uid := layers.user) is not None:
        import numpy  # the zygote has it; who only asks for layers need not wait for it

        needed = (folder, os.__file__, numpy.__file__, *tool)
        _become(uid, needed, programs=programs)
    else:
        set_capabilities(0)
    # a lane that is killed must leave no bot behind; the change of user had cleared this
    die_with_parent(parent)
    # set-user-id programs give nothing back; the two last layers may be put on without privilege
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    # from here on no path but the interpreter's and the bot's own
    if rules is not None:
        landlock.restrict(rules)
    # last, as it forbids most of the above
    if not layers.seccomp:
        return None
    return seccomp.restrict(
        programs=programs,
        create=layers.create(mounted),
        signals=layers.signals(profile),
    )


def limit(which: int, value: int) -> None:
    """Set a resource limit, soft and hard, as far as this process may."""
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = hard if value == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def keep_only(channel: int, output: int, supervisor: int, rules: int | None) -> int | None:
    """Close every other descriptor; returns the new one of `rules`, the others are fixed."""
    null = os.open(os.devnull, os.O_RDONLY)
    # first out of the way of the numbers they are to have, whatever numbers they happen to have
    kept = [_lift(fd) for fd in (null, output, output, channel, supervisor)]
    lifted = None if rules is None else _lift(rules)
    for target, source in enumerate(kept):
        os.dup2(source, target, inheritable=False)
    if lifted is not None:
        rules = os.dup2(lifted, RULES, inheritable=False)
    os.closerange(RULES if rules is None else RULES + 1, os.sysconf("SC_OPEN_MAX"))
    return rules


def _lift(fd: int) -> int:
    """A copy of a descriptor above those that are kept."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD, RULES + 1)


def _file_rules(folder: str, profile: Profile, tool: tuple[str, ...] = ()) -> int:
    """Landlock's rules for a bot, as a descriptor."""
    reads = int(landlock.READ)
    common: tuple[str, ...] = READABLE
    if profile is Profile.PROGRAM:
        reads |= landlock.Access.EXECUTE
        common += (*EXECUTABLE, *glob(JAVA_SETTINGS))
    about = [os.path.join("/proc/self", name) for name in ABOUT_ITSELF]
    its = [os.open(path, os.O_PATH) for path in (folder, os.devnull, *about, *tool)]
    rules = [(place, reads & rights) for place, rights in readable(common)]
    rules += [(place, reads) for place in its]
    rules += [(place, reads | landlock.OWN) for place in its[:2]]
    fd = landlock.ruleset(rules)
    for place in its:
        os.close(place)
    return fd


@cache
def readable(common: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Descriptors of those paths, and of where Python and the packages are, with their rights.

    They stay open in the zygote, which need not look for them again for every bot.
    """
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    python = [sysconfig.get_path(kind) for kind in kinds]
    python += [os.path.join(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix)]
    python += [sys.executable, os.path.join(sys.prefix, "pyvenv.cfg")]
    # Arena's own package too: Python reads a module's source when it prints a traceback
    package = os.path.realpath(os.path.dirname(os.path.dirname(__file__)))
    found: list[str] = []
    for path in sorted({os.path.realpath(path) for path in (*common, *python, package)}):
        if os.path.exists(path) and not any(path.startswith(other + "/") for other in found):
            found.append(path)
    return tuple(
        (os.open(part, os.O_PATH | os.O_CLOEXEC), rights)
        for path in found
        for part, rights in _all_but(os.path.join(package, ENGINE), path)
    )


def _all_but(hidden: str, path: str) -> Iterator[tuple[str, int]]:
    """What lets all below a path be read but for the files of one folder: parts and rights.

    Landlock knows no exceptions: so around that folder it is its neighbours that are named.
    """
    if not f"{hidden}/".startswith(f"{path}/"):
        yield path, -1
    elif path != hidden:
        yield path, int(landlock.Access.READ_DIR)
        for name in os.listdir(path):
            part = os.path.join(path, name)
            # a link may lead back to where the folder is, which is named under its own name
            if not os.path.islink(part) or not f"{hidden}/".startswith(os.path.realpath(part)):
                yield from _all_but(hidden, part)


def _become(uid: int, needed: tuple[str, ...], *, programs: bool) -> None:
    """Change to a user that owns nothing. Raises OSError.

    What it `needed` may lie in somebody's private folder: then, and only then, it keeps the
    capability to read past modes, and Landlock alone says what.
    """
    prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    reaches = all(os.access(path, os.R_OK) for path in needed)
    kept = 0 if reaches else 1 << CAP_DAC_READ_SEARCH
    inherited = kept if programs else 0
    try:
        set_capabilities(kept, inherited)
    except OSError as error:
        raise OSError(
            error.errno, f"another user cannot read {', '.join(needed)}; move them to where all can"
        ) from None
    if inherited:
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH)


@cache
def _most_tasks(layers: Layers) -> int:
    """What RLIMIT_NPROC is to be, by which the kernel counts all that a user has."""
    if layers.seccomp:  # each bot's own are counted, and no bot's share is another's to take
        return resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if layers.uids is not None:
        return TASKS
    # half as much again may be somebody else's doing
    return tasks_of(os.getuid()) * 3 // 2 + 4 * TASKS


def tasks_of(uid: int) -> int:
    """Processes and threads of a user, which is what RLIMIT_NPROC counts."""
    tasks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{pid}").st_uid == uid:
                tasks += len(os.listdir(f"/proc/{pid}/task"))
        except OSError:
            continue  # it has ended
    return tasks
