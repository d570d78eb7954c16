"""Confining a bot's process, step by step. `arena.host.sandbox` has the reasons."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from arena.host.bot_folder import FILE_SIZE, TASKS
from arena.host.sandbox import landlock, namespaces, seccomp
from arena.host.sandbox.kernel import PR_SET_PDEATHSIG, prctl, set_capabilities, works
from arena.host.sandbox.landlock import file_rules
from arena.interfaces import Profile

ANSWERS, REQUESTS = 3, 4  # Descriptors of the bot's pipes to and from the referee.

# Further descriptors while a process is being confined: of the sockets to its zygote and its lane,
# and of Landlock's rules.
SUPERVISOR, CHANNEL, RULES = 5, 6, 7
PR_SET_DUMPABLE, PR_SET_KEEPCAPS = 4, 8
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_READ_SEARCH = 2

# Bytes, far above the memory limit, because thread arenas reserve addresses that they never use.
ADDRESS_SPACE = 4 << 30
OPEN_FILES = 32

# Bytes. A virtual machine reserves address space for its heap and code that it may never use.
PROGRAM_ADDRESS_SPACE = 1 << 40
PROGRAM_OPEN_FILES = 128

# Ranges of bots' user ids, (first, number): one as wide as process ids and far from people's, or
# else systemd's for dynamic users, which small containers also map.
UID_RANGES = ((2_000_000_000, 1 << 22), (61_184, 4_336))


@dataclass(frozen=True, slots=True)
class Layers:
    landlock: int
    """Version of Landlock; 0 without it."""

    seccomp: bool

    uids: tuple[int, int] | None
    """First user id for bots, and their number; None if bots keep Arena's."""

    namespaces: bool

    @property
    def user(self) -> int | None:
        """The user id of this process once it is confined; None if unchanged."""
        if self.uids is None:
            return None
        first, count = self.uids
        return first + namespaces.outer_pid() % count

    @property
    def enough(self) -> bool:
        """True if untrusted code cannot harm processes or files, though it may read files."""
        return self.seccomp or self.uids is not None

    def create(self, mounted: bool) -> int:
        """Return seccomp's decision on system calls that make a file."""
        if not self.landlock:
            return seccomp.REFUSE  # otherwise a bot could write wherever its user can
        return seccomp.ALLOW if mounted else seccomp.NOTIFY

    def signals(self, profile: Profile) -> bool:
        """Return True if the bot may send signals, because other layers limit them."""
        return profile is Profile.PROGRAM and self.landlock >= landlock.SCOPE_ABI


@cache
def layers() -> Layers:
    """Return the layers that work, each tried once in a child process."""
    if sys.platform != "linux":
        return Layers(0, False, None, False)

    def forbid_most() -> object:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        return seccomp.restrict(programs=False, create=seccomp.NOTIFY, signals=False)

    ranges = UID_RANGES if os.geteuid() == 0 else ()
    return Layers(
        landlock.abi() if works(lambda: os.close(file_rules("/", programs=False))) else 0,
        works(forbid_most),
        next((ids for ids in ranges if works(partial(_become, ids[0], (), programs=False))), None),
        namespaces.available(),
    )


@cache
def rehearse(layers: Layers, mounted: bool, profile: Profile = Profile.MODULE) -> None:
    """Do what is slow the first time; called once, before any fork."""
    _most_tasks(layers)
    if layers.landlock:
        os.close(file_rules("/", programs=profile is Profile.PROGRAM))
    if layers.seccomp:
        seccomp.program_for(
            programs=profile is Profile.PROGRAM,
            create=layers.create(mounted),
            signals=layers.signals(profile),
        )


def die_with_parent(parent: int) -> None:
    """Make the kernel kill this process when `parent` ends; exit if that has ended."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def hide_memory() -> None:
    """Keep other processes of the same user from reading or tracing this one."""
    prctl(PR_SET_DUMPABLE, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The parameters of `confine` for one bot's process.

    `output` becomes standard output and error, each other descriptor the constant of its name.
    """

    output: int
    answers: int
    requests: int
    supervisor: int
    channel: int

    parent: int
    """Process id of the zygote."""

    memory_mb: int
    folder: str

    mounted: bool
    """True if `folder` is a separate file system."""

    layers: Layers
    profile: Profile = Profile.MODULE

    tool: tuple[str, ...] = ()
    """More paths that a program must read."""

    @property
    def programs(self) -> bool:
        return self.profile is Profile.PROGRAM


def confine(process: Confinement) -> int | None:
    """Turn this fork of the zygote into a bot's process. Raises OSError.

    Returns the descriptor on which the supervisor receives the bot's calls, or None.
    """
    for step in STEPS:
        step(process)
    return _filter_calls(process)


def _lead_a_session(_: Confinement) -> None:
    """Start a session, out of reach of Ctrl-C and stray killpgs. It can be killed as a group."""
    os.setsid()


def _keep_its_descriptors(process: Confinement) -> None:
    """Keep no input, no descriptor of the zygote, and only the bot's own output.

    Landlock's rules are made here, while every path can still be opened, and kept as RULES.
    """
    rules = None
    if process.layers.landlock:
        rules = file_rules(process.folder, process.tool, programs=process.programs)
    kept = process.answers, process.requests, process.supervisor, process.channel
    keep_only(process.output, *kept, rules=rules)


def _empty_its_environment(_: Confinement) -> None:
    """Remove all variables, which may be secret or differ between machines."""
    os.environ.clear()
    os.environ.update(LANG="C.UTF-8", PATH="/usr/bin:/bin")


def _limit_its_resources(process: Confinement) -> None:
    """Set limits that the kernel enforces per process.

    The memory limit is DATA, which counts allocated memory. AS only counts reserved addresses.
    """
    programs, memory = process.programs, process.memory_mb << 20
    limit(resource.RLIMIT_DATA, memory)
    limit(resource.RLIMIT_AS, max(PROGRAM_ADDRESS_SPACE if programs else ADDRESS_SPACE, 2 * memory))
    limit(resource.RLIMIT_FSIZE, FILE_SIZE)
    limit(resource.RLIMIT_NOFILE, PROGRAM_OPEN_FILES if programs else OPEN_FILES)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_MEMLOCK, 0)
    limit(resource.RLIMIT_MSGQUEUE, 0)
    limit(resource.RLIMIT_NPROC, _most_tasks(process.layers))


def _become_its_user(process: Confinement) -> None:
    """Become a user that owns nothing and cannot signal, trace or limit its neighbours.

    Only root can change the user; otherwise the process only loses its capabilities.
    """
    if (uid := process.layers.user) is None:
        set_capabilities(0)
        return
    import numpy  # already loaded in the zygote; not needed for `layers` alone

    needed = (process.folder, os.__file__, numpy.__file__, *process.tool)
    _become(uid, needed, programs=process.programs)


def _end_with_the_zygote(process: Confinement) -> None:
    """Die with the zygote, so that a killed lane leaves no bot. A change of user clears this."""
    die_with_parent(process.parent)


def _renounce_privileges(_: Confinement) -> None:
    """Keep set-user-id programs from giving privileges back; so the last layers need no root."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def _close_the_file_system(process: Confinement) -> None:
    """Let only the paths of the interpreter and the bot be opened from here on."""
    if process.layers.landlock:
        landlock.restrict(RULES)


# All steps of `confine` but the last. The order matters: see `arena.host.sandbox`.
STEPS: tuple[Callable[[Confinement], None], ...] = (
    _lead_a_session,
    _keep_its_descriptors,
    _empty_its_environment,
    _limit_its_resources,
    _become_its_user,
    _end_with_the_zygote,
    _renounce_privileges,
    _close_the_file_system,
)


def _filter_calls(process: Confinement) -> int | None:
    """Filter system calls. This is last, because it forbids most of what earlier steps need."""
    layers = process.layers
    if not layers.seccomp:
        return None
    return seccomp.restrict(
        programs=process.programs,
        create=layers.create(process.mounted),
        signals=layers.signals(process.profile),
    )


def limit(which: int, value: int) -> None:
    """Set a soft and hard resource limit, at most the present hard limit."""
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = hard if value == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def keep_only(output: int, *others: int, rules: int | None) -> int | None:
    """Close all other descriptors.

    The `others` become 3, 4 and so on, and the Landlock rules the next.
    Returns the new descriptor of the Landlock rules; None if `rules` is None.
    """
    null = os.open(os.devnull, os.O_RDONLY)
    last = () if rules is None else (rules,)
    # first move the descriptors above the target numbers, which they may occupy
    kept = [_lift(fd) for fd in (null, output, output, *others, *last)]
    for target, source in enumerate(kept):
        os.dup2(source, target, inheritable=False)
    os.closerange(len(kept), os.sysconf("SC_OPEN_MAX"))
    return None if rules is None else len(kept) - 1


def _lift(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD, RULES + 1)


def _become(uid: int, needed: tuple[str, ...], *, programs: bool) -> None:
    """Change to a user that owns nothing. Raises OSError.

    If a path in `needed` is in a private folder, the process keeps the capability to read files
    whatever their modes. Then only Landlock restricts what it reads.
    """
    prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    hidden = [path for path in needed if not os.access(path, os.R_OK)]
    kept = 1 << CAP_DAC_READ_SEARCH if hidden else 0
    inherited = kept if programs else 0
    try:
        set_capabilities(kept, inherited)
    except OSError:
        said = f"another user cannot read {', '.join(hidden)}"
        raise PermissionError(f"{said}; install Arena in a public folder") from None
    if inherited:
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH)


@cache
def _most_tasks(layers: Layers) -> int:
    if layers.seccomp:  # the supervisor counts the tasks of each bot
        return resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if layers.uids is not None:
        return TASKS
    # room for other processes of the user to start more
    return tasks_of(os.getuid()) * 3 // 2 + 4 * TASKS


def tasks_of(uid: int) -> int:
    """Return how many processes and threads a user has, as RLIMIT_NPROC counts them."""
    tasks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{pid}").st_uid == uid:
                tasks += len(os.listdir(f"/proc/{pid}/task"))
        except OSError:
            continue  # the process has ended
    return tasks
