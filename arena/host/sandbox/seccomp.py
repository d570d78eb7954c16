"""Seccomp: which system calls a process may still make, as a filter in the kernel.

The filter is an allow-list: other calls fail with EPERM. It sees only a call's number and plain
arguments, because a pointer's target can change after the check. The zygote decides on calls that
make a file, a thread or a process (`supervisor`). The program is classic BPF, see seccomp(2), with
numbers from asm/unistd.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from arena.host.sandbox.kernel import syscall

_SET_MODE_FILTER = 1
_NEW_LISTENER = 1 << 3
_WAIT_KILLABLE = 1 << 5

# Decisions on a call
KILL = 0x80000000  # kill the process
NOTIFY = 0x7FC00000  # ask the supervisor
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
UNKNOWN = 0x00050000 | errno.ENOSYS  # as if the call did not exist
PRETEND = 0x00050000  # report success without doing it
NO_ATTRIBUTES = 0x00050000 | errno.EOPNOTSUPP  # as if files had no extended attributes
LAST_KNOWN = 450  # Calls with larger numbers are newer than _TABLE; programs expect ENOSYS.
ITSELF = 0x5E1F5E1F  # Placeholder for the process id, which is not known yet.
_RLIMIT_RTTIME = 15
X32 = 0x40000000  # This bit marks the number of a call in x86-64's x32 convention.


@dataclass(frozen=True, slots=True)
class Test:
    """Compares 32 bits of an argument with some values.

    With `(Test(0, (0,), mask=0o700, then=ALLOW), REFUSE)` as the rule of umask, `umask(0o022)` is
    allowed, because no bit of 0o700 is set, and `umask(0o777)` is refused.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    then: int | None = None
    """The decision if the masked bits are one of `values`."""

    otherwise: int | None = None
    """The decision if not. Either `then` or this is None: then the next step decides."""


Step = Test | int  # A rule is a sequence of tests that ends with a decision.
Rules = dict[str, tuple[Step, ...]]  # By the name of the call.

# By machine: (AUDIT_ARCH, index of the machine's number in a row of _TABLE).
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# Every call that some rule allows: name, number on x86-64, number on aarch64.
_TABLE = """
# reading, writing, and metadata of files
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69,
pwritev 296 70, preadv2 327 286, pwritev2 328 287, lseek 8 62, close 3 57, close_range 436 436,
fstat 5 80, newfstatat 262 79, stat 4 -, lstat 6 -, statx 332 291, access 21 -, faccessat 269 48,
faccessat2 439 439, readlink 89 -, readlinkat 267 78, getcwd 79 17, chdir 80 49, fchdir 81 50,
getdents 78 -, getdents64 217 61, dup 32 23, dup2 33 -, dup3 292 24, statfs 137 43, fstatfs 138 44,
fadvise64 221 223, sendfile 40 71, copy_file_range 326 285, chmod 90 -, fchmod 91 52,
fchmodat 268 53, utimensat 280 88, ftruncate 77 46, fsync 74 82,
fdatasync 75 83, rmdir 84 -, unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38,
renameat2 316 276, fcntl 72 25, ioctl 16 29,
listxattr 194 11, llistxattr 195 12, flistxattr 196 13,
# creation of files
open 2 -, openat 257 56, creat 85 -, openat2 437 437, mkdir 83 -, mkdirat 258 34, symlink 88 -,
symlinkat 266 36, umask 95 166,
# memory
mmap 9 222, mprotect 10 226, munmap 11 215, mremap 25 216, brk 12 214, madvise 28 233, msync 26 227,
membarrier 324 283,
# its own signals and timers
rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, signalfd4 289 74, pause 34 -,
alarm 37 -, setitimer 38 103, getitimer 36 102, timer_create 222 107, timerfd_create 283 85,
timerfd_settime 286 86, timerfd_gettime 287 87, nanosleep 35 101, clock_nanosleep 230 115,
clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169, time 201 -, times 100 153,
restart_syscall 219 128, kill 62 129, tgkill 234 131,
# information about itself and the machine
getrusage 98 165, sysinfo 99 179, uname 63 160, getpid 39 172, gettid 186 178, getppid 110 173,
getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148,
getresgid 120 150, getgroups 115 158, getpgrp 111 -, getpgid 121 155, getsid 124 156,
getpriority 140 141, getcpu 309 168, sched_yield 24 124, sched_getaffinity 204 123,
sched_getparam 143 121, sched_getscheduler 145 120, sched_get_priority_max 146 125,
sched_get_priority_min 147 126, sched_rr_get_interval 148 127, getrlimit 97 163, prlimit64 302 261,
getrandom 318 278,
# threads
clone 56 220, clone3 435 435, futex 202 98, futex_waitv 449 449, set_robust_list 273 99,
get_robust_list 274 100, rseq 334 293, set_tid_address 218 96, arch_prctl 158 -, prctl 157 167,
exit 60 93, exit_group 231 94,
# waiting and pipes
pipe 22 -, pipe2 293 59, eventfd2 290 19, epoll_create 213 -, epoll_create1 291 20,
epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, poll 7 -,
ppoll 271 73, select 23 -, pselect6 270 72, socketpair 53 199, sendto 44 206, sendmsg 46 211,
recvfrom 45 207, shutdown 48 210, getsockopt 55 209, getsockname 51 204, getpeername 52 205,
# the last steps of confinement
seccomp 317 277,
# other programs
execve 59 221, fork 57 -, vfork 58 -, wait4 61 260, waitid 247 95,
"""


# Calls that move or remove a file.
_CHANGES = ("rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir")

# Instructions of classic BPF.
_LOAD, _AND, _EQUAL, _GREATER, _RETURN = 0x20, 0x54, 0x15, 0x25, 0x06

# Rules skipped together if a call's number is higher, because at installation the kernel runs the
# filter for every number, to learn which calls it always allows.
_TOGETHER = 12
_NUMBER, _ARCHITECTURE = 0, 4  # Offsets in struct seccomp_data.
_WRITES = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC
_THREAD = 0x00010F00  # Threads share memory, working directory, descriptors, handlers.
_NAMESPACES_OR_PARENT = 0x7E020000 | 0x80 | 0x8000
_EXIT_SIGNAL = 0xFF
_VFORK = 0x4000
_CLOSE_UNSHARED = 2
_SHARED, _ANONYMOUS, _GROWSDOWN = 0x01, 0x20, 0x100
_PROT_WRITE = 0x02

# Allowed: duplicates and flags. Not F_GETLK: a lock on a public file would be a message. Not
# F_SETOWN and F_SETSIG: they send signals.
_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)
_LOCKS = (6, 7)  # F_SETLK and F_SETLKW.
_PUSHED_OUT = (20, 21)  # MADV_COLD and MADV_PAGEOUT.

# Allowed: terminal check and size, bytes waiting, non-blocking, close-on-exec. Not FIOASYNC.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)

# Allowed: reading the dumpable flag, naming threads and memory. Not PR_SET_PDEATHSIG.
_PRCTL = (3, 15, 16, 0x53564D41)


def restrict(*, programs: bool, create: int, signals: bool) -> int:
    """Put the filter on this process, its threads and children, permanently.

    `programs` allows processes and exec; `signals` allows all signals that other layers let
    through; `create` decides on calls that make a file or open one for writing. Returns the
    descriptor on which the supervisor receives calls; it can be sent on until `seal`. Needs
    no_new_privs. Raises OSError.
    """
    program = program_for(programs=programs, create=create, signals=signals)
    own = program.replace(struct.pack("I", ITSELF), struct.pack("I", os.getpid()))
    try:
        # _WAIT_KILLABLE: no signal interrupts a call that the supervisor has taken. Otherwise a
        # thread that an alarm kept from starting would look like one that is not allowed
        return _put_on(own, _NEW_LISTENER | _WAIT_KILLABLE)
    except OSError as error:
        if error.errno != errno.EINVAL:  # Linux before 5.19 lacks _WAIT_KILLABLE
            raise
        return _put_on(own, _NEW_LISTENER)


def seal() -> None:
    """Refuse the calls that only `restrict` and sending its descriptor needed.

    Raises OSError.
    """
    last = (_rule(name, (REFUSE,)) for name in ("seccomp", "sendmsg"))
    _put_on(_op(_LOAD, _NUMBER) + b"".join(last) + _op(_RETURN, ALLOW), 0)


def _put_on(program: bytes, flags: int) -> int:
    instructions = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HP", len(program) // 8, ctypes.addressof(instructions))
    return syscall(numbers()["seccomp"], _SET_MODE_FILTER, flags, header)


def _head() -> bytes:
    audit, _ = _place()
    return b"".join(
        (
            _op(_LOAD, _ARCHITECTURE),
            _op(_EQUAL, audit, 1, 0),
            _op(_RETURN, KILL),
            _op(_LOAD, _NUMBER),
            _op(_GREATER, X32 - 1, 0, 1),
            _op(_RETURN, KILL),
            _op(_GREATER, LAST_KNOWN, 0, 1),
            _op(_RETURN, UNKNOWN),
        )
    )


@cache
def program_for(*, programs: bool, create: int, signals: bool) -> bytes:
    """Return the filter, with ITSELF in place of the process id."""
    rules: Rules = dict.fromkeys(numbers(), (ALLOW,))
    rules |= _about_files(create)
    rules |= _about_memory_and_sockets()
    rules |= _about_itself(programs=programs, signals=signals)
    rules |= _about_starting(programs=programs)
    judged = sorted((number, name) for name, number in numbers().items())
    blocks = [_head()]
    for start in range(0, len(judged), _TOGETHER):
        some = judged[start : start + _TOGETHER]
        block = b"".join(_rule(name, rules[name]) for _, name in some)
        blocks += [_op(_GREATER, some[-1][0], len(block) // 8, 0), block]
    return b"".join(blocks) + _op(_RETURN, REFUSE)


def _about_files(create: int) -> Rules:
    owned = 0o700  # the supervisor could not count the files in a closed folder
    rules: Rules = {
        "open": _opening(1, create),
        "openat": _opening(2, create),
        "creat": (create,),
        "openat2": (UNKNOWN,),  # flags behind a pointer; callers fall back to openat
        "mkdir": (Test(1, (owned,), mask=owned, otherwise=REFUSE), create),
        "mkdirat": (Test(2, (owned,), mask=owned, otherwise=REFUSE), create),
        "symlink": (create,),
        "symlinkat": (create,),
        "umask": (Test(0, (0,), mask=owned, then=ALLOW), REFUSE),
        # copying a file needs success, but no effect
        **dict.fromkeys(("chmod", "fchmod", "fchmodat", "utimensat"), (PRETEND,)),
        **dict.fromkeys(("listxattr", "llistxattr", "flistxattr"), (NO_ATTRIBUTES,)),
        # if threads did not share descriptors, the bot could have that many more
        "close_range": (Test(2, (0,), mask=_CLOSE_UNSHARED, then=ALLOW), REFUSE),
        # a bot's files need no locks, and the kernel does not limit the number of locks
        "fcntl": (Test(1, _FCNTL, then=ALLOW), Test(1, _LOCKS, then=PRETEND), REFUSE),
        "ioctl": (Test(1, _IOCTL, then=ALLOW), REFUSE),
    }
    if create == REFUSE:  # then no other layer protects other people's files
        rules |= dict.fromkeys(_CHANGES, (REFUSE,))
    return rules


def _about_memory_and_sockets() -> Rules:
    return {
        # this advice could evict shared files from memory
        "fadvise64": (PRETEND,),
        "madvise": (Test(2, _PUSHED_OUT, then=PRETEND), ALLOW),
        # flags can reveal whether a file is in memory
        "preadv2": (Test(5, (0,), then=ALLOW), REFUSE),
        "mmap": (
            # growing stacks and shared memory would escape the memory limit
            Test(3, (0,), mask=_GROWSDOWN, otherwise=REFUSE),
            Test(3, (_SHARED | _ANONYMOUS,), mask=_SHARED | _ANONYMOUS, then=REFUSE),
            Test(3, (0,), mask=_SHARED, then=ALLOW),
            Test(2, (0,), mask=_PROT_WRITE, then=ALLOW),
            REFUSE,
        ),
        "socketpair": (
            Test(0, (1,), otherwise=REFUSE),
            Test(1, (1,), mask=0xF, then=ALLOW),  # streams: no address can redirect them
            REFUSE,
        ),
    }


def _about_itself(*, programs: bool, signals: bool) -> Rules:
    its_own = () if signals else (Test(0, (ITSELF,), otherwise=REFUSE),)
    return {
        "prctl": (Test(0, _PRCTL, then=ALLOW), REFUSE),
        "prlimit64": (
            Test(0, (0,), otherwise=REFUSE),  # only its own limits
            # beyond these limits the kernel sends SIGKILL, like an outside killer
            Test(1, (resource.RLIMIT_CPU, _RLIMIT_RTTIME), then=REFUSE),
            ALLOW,
        ),
        "kill": (*its_own, *_signalling(1, programs=programs)),
        "tgkill": (*its_own, *_signalling(2, programs=programs)),
        "timer_create": (UNKNOWN,),  # signal behind a pointer; callers have alternatives
    }


def _about_starting(*, programs: bool) -> Rules:
    rules: Rules = {
        "clone3": (UNKNOWN,)  # flags behind a pointer; glibc falls back to clone
    }
    if programs:
        rules["clone"] = (
            Test(0, (0,), mask=_NAMESPACES_OR_PARENT, otherwise=REFUSE),
            Test(0, (0, signal.SIGCHLD), mask=_EXIT_SIGNAL, otherwise=REFUSE),
            NOTIFY,
        )
        rules |= dict.fromkeys(("fork", "vfork"), (NOTIFY,))
        # with SIGCHLD ignored, the kernel would not count the CPU of children
        asks = Test(1, (0,), then=ALLOW)
        rules["rt_sigaction"] = (Test(0, (signal.SIGCHLD,), otherwise=ALLOW), asks, PRETEND)
        return rules
    # no vfork: the parent would wait in the kernel, where it cannot be stopped
    whole = _THREAD | _NAMESPACES_OR_PARENT | _VFORK
    rules["clone"] = (Test(0, (_THREAD,), mask=whole, then=NOTIFY), REFUSE)
    return rules | dict.fromkeys(("execve", "fork", "vfork", "wait4", "waitid"), (REFUSE,))


def _signalling(number: int, *, programs: bool) -> tuple[Step, ...]:
    """Return the end of a rule for a call with the signal in argument `number`.

    A bot that ends by SIGKILL was killed from outside, and its game is played again. So no bot may
    send it to itself. A program may kill single processes that it started.
    """
    return (
        # real-time signals fill a queue that all processes of a user share
        Test(number, (0,), mask=0xFFFFFFE0, otherwise=REFUSE),
        # only the referee continues a process stopped outside its turn
        Test(number, (signal.SIGCONT,), then=REFUSE),
        Test(number, (signal.SIGKILL,), otherwise=ALLOW),
        *(
            (Test(0, (ITSELF, 0), then=REFUSE), Test(0, (0,), mask=1 << 31, then=ALLOW))
            if programs
            else ()
        ),
        REFUSE,
    )


def _opening(flags: int, create: int) -> tuple[Step, ...]:
    return (
        Test(flags, (0,), mask=_WRITES, then=ALLOW),
        # old Landlock versions would permit truncating a file that is opened for reading
        Test(flags, (os.O_TRUNC,), mask=os.O_ACCMODE | os.O_TRUNC, then=REFUSE),
        create,
    )


def _rule(name: str, steps: tuple[Step, ...]) -> bytes:
    number = numbers().get(name)
    if number is None:
        return b""
    block = b"".join(map(_step, steps))
    return _op(_EQUAL, number, 0, len(block) // 8) + block


def _step(step: Step) -> bytes:
    if isinstance(step, int):
        return _op(_RETURN, step)
    decision = step.otherwise if step.then is None else step.then
    assert decision is not None
    last = len(step.values) - 1
    met, unmet = (0, 1) if step.then is not None else (1, 0)
    compare = b"".join(
        _op(_EQUAL, value, last - index + met, unmet if index == last else 0)
        for index, value in enumerate(step.values)
    )
    low_word = 16 + 8 * step.argument  # offset in struct seccomp_data, little-endian
    return _op(_LOAD, low_word) + _op(_AND, step.mask) + compare + _op(_RETURN, decision)


def _op(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, k)


@cache
def numbers() -> Mapping[str, int]:
    """Return {name: number on this machine} for the system calls in _TABLE."""
    _, column = _place()
    lines = (line for line in _TABLE.splitlines() if not line.startswith("#"))
    rows = [row.split() for line in lines for row in line.split(",") if row.strip()]
    return {name: int(pair[column]) for name, *pair in rows if pair[column] != "-"}


def _place() -> tuple[int, int]:
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no list of system calls for {machine}")
    return _ARCHITECTURES[machine]
