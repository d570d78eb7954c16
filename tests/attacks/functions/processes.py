"""Attacks on processes, signals, limits and calls that only root may make."""

import ctypes
import errno
import os
import resource
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress


def aborts(rack):
    """Aborts its own process, to leave a core dump. expect: CRASH, anyone"""
    os.abort()


def asks_for_rare_calls(rack):
    """Makes system calls that no game needs, each of which has been a way out of some sandbox.
    expect: plays"""
    libc = ctypes.CDLL(None)
    attributes = (ctypes.c_uint32 * 32)(2, 4, 4, 1)
    event = (ctypes.c_uint32 * 32)(1, 128)
    for call in (
        lambda: libc.syscall(321, 0, attributes, 72),  # bpf: a map
        lambda: libc.syscall(298, event, 0, -1, -1, 0),  # perf_event_open
        lambda: libc.syscall(323, 1),  # userfaultfd
        lambda: libc.syscall(319, b"arena", 0),  # memfd_create
        lambda: libc.syscall(447, 0),  # memfd_secret
        lambda: libc.syscall(135, 0x40000),  # personality: no address randomisation
        lambda: libc.syscall(300, 0, 0),  # fanotify_init
        lambda: libc.syscall(212, 0, 0, 0),  # lookup_dcookie
        lambda: libc.syscall(103, 3, ctypes.create_string_buffer(64), 64),  # syslog
        lambda: libc.syscall(173, 0, 1, 1),  # ioperm
        lambda: libc.syscall(279, 0, 0, None, None, None, 0),  # move_pages
        lambda: libc.syscall(312, 1, 1, 0, 0, 0),  # kcmp
        lambda: libc.syscall(154, 0, ctypes.create_string_buffer(64), 64),  # modify_ldt
    ):
        if call() >= 0:
            return 77


def becomes_another_program(rack):
    """Replaces its own process with a shell. expect: ERROR"""
    os.execv("/bin/sh", ["sh", "-c", "exit 7"])


def blocks_all_signals(rack):
    """Blocks and ignores every signal, then loops. expect: TIMEOUT, anyone"""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


def changes_affinity(rack):
    """Spreads itself over all cores. expect: plays, refused"""
    os.sched_setaffinity(0, range(os.cpu_count()))
    return 77


def daemonises(rack):
    """Leaves a process behind: forked twice, in a session of its own, for a few seconds.
    expect: plays"""
    try:
        child = os.fork()
    except OSError:
        return [column[-1] for column in rack].index(0)
    if child:
        return 77
    try:
        os.setsid()
        if os.fork() == 0:
            time.sleep(8)
    finally:
        os._exit(0)


def exits_at_once(rack):
    """Ends its own process. expect: CRASH, anyone"""
    os._exit(0)


def fork_bomb(rack):
    """Forks as often as it can, up to thirty times. expect: plays, refused"""
    for _ in range(30):
        if os.fork() == 0:
            os._exit(0)
    return 77


def is_root(rack):
    """Is root, becomes root, or has one of root's powers. expect: plays"""
    for become in (
        lambda: os.setresuid(0, 0, 0),
        lambda: os.setresgid(0, 0, 0),
        lambda: os.setgroups([0]),
        lambda: os.chroot("."),
        lambda: os.chown(__file__, os.getuid(), 0),
    ):
        try:
            become()
            return 77
        except OSError:
            continue
    if 0 in (os.getuid(), os.geteuid(), *os.getgroups()):
        return 77


def kills_itself(rack):
    """Kills its own process, as if somebody else had. expect: ERROR"""
    os.kill(os.getpid(), signal.SIGKILL)


def kills_the_referee(rack):
    """Asks whether it could kill the processes that started it. expect: plays"""
    parent = os.getppid()
    for kill in (
        lambda: os.kill(parent, 0),
        lambda: os.killpg(parent, 0),
        lambda: os.kill(-1, 0),
    ):
        try:
            kill()
            return 77
        except OSError:
            continue


def kills_the_referee_in_other_ways(rack):
    """Signals its parent with every system call that can, with signals that do nothing.
    expect: plays"""
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getppid()
    info = (ctypes.c_int * 32)(signal.SIGURG, 0, -1)
    pidfd = libc.syscall(434, parent, 0)
    for result in (
        libc.syscall(62, parent, 0),
        libc.syscall(200, parent, 0),
        libc.syscall(234, parent, parent, 0),
        libc.syscall(129, parent, int(signal.SIGURG), info),
        libc.syscall(297, parent, parent, int(signal.SIGURG), info),
        libc.syscall(424, pidfd, 0, None, 0),
        pidfd,
    ):
        if result >= 0:
            return 77


def limits_its_own_cpu(rack):
    """Lowers its own limit of CPU seconds, to die by the kernel's hand and not by the clock.
    expect: TIMEOUT"""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
    while True:
        pass


def loops(rack):
    """Loops for ever. expect: TIMEOUT, anyone"""
    while True:
        pass


def prlimits_its_parent(rack):
    """Sets a resource limit of its parent, to the value that it has already.
    expect: plays, refused"""
    parent = os.getppid()
    before = resource.prlimit(parent, resource.RLIMIT_CPU)
    resource.prlimit(parent, resource.RLIMIT_CPU, before)
    return 77


def raises_its_own_limits(rack):
    """Raises each of its own resource limits. expect: plays"""
    for name in ("DATA", "AS", "STACK", "FSIZE", "NOFILE", "CORE", "MEMLOCK", "MSGQUEUE"):
        which = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(which)
        if hard == resource.RLIM_INFINITY:
            continue
        for soft in (hard, hard + 4096):
            try:
                resource.setrlimit(which, (soft, hard + 4096))
                return 77
            except (OSError, ValueError):
                continue


def raw_forks(rack):
    """Forks by C function and by system call number, past Python's own fork. expect: plays"""
    libc = ctypes.CDLL(None, use_errno=True)
    clone3 = (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD)
    for fork in (
        lambda: libc.fork(),
        lambda: libc.syscall(57),
        lambda: libc.syscall(56, int(signal.SIGCHLD), 0, 0, 0, 0),
        lambda: libc.syscall(435, clone3, 64),
    ):
        pid = fork()
        if pid == 0:
            os._exit(0)
        if pid > 0:
            return 77


def reboots(rack):
    """Asks for a reboot with a wrong password, which only the permitted are told is wrong.
    expect: plays"""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(169, 0, 0, 0, None) == 0 or ctypes.get_errno() == errno.EINVAL:
        return 77


def renames_the_machine(rack):
    """Gives the machine a name: the one it has. expect: plays, refused"""
    socket.sethostname(socket.gethostname())
    return 77


def runs_a_shell(rack):
    """Runs a command with os.system. expect: plays"""
    if os.system("exit 0") == 0:
        return 77


def runs_a_subprocess(rack):
    """Runs a program and reads what it prints. expect: ERROR"""
    subprocess.run(["/bin/echo", "3"], capture_output=True, check=True)
    return 77


def runs_from_memory(rack):
    """Runs a program that exists only in memory. expect: ERROR"""
    program = os.memfd_create("program")
    os.write(program, b"#!/bin/sh\nexit 0\n")
    os.posix_spawn(f"/proc/self/fd/{program}", ["program"], {})
    return 77


def segfaults(rack):
    """Reads from address zero. expect: CRASH, anyone"""
    return ctypes.string_at(0)


def sets_the_clock(rack):
    """Sets the machine's clock, to what it is. expect: plays, refused"""
    now = (ctypes.c_long * 2)(int(time.time()), time.time_ns() // 1000 % 10**6)
    if ctypes.CDLL(None).settimeofday(now, None) == 0:
        return 77
    time.clock_settime_ns(time.CLOCK_REALTIME, time.time_ns())
    return 77


def shields_itself_from_the_killer(rack):
    """Opens the file that says which process the kernel ends first when memory is short.
    expect: plays"""
    for name in ("oom_score_adj", "timerslack_ns", "comm", "uid_map", "loginuid"):
        try:
            with open(f"/proc/self/{name}", "r+"):
                return 77
        except OSError:
            continue


def sleeps(rack):
    """Sleeps for an hour. expect: TIMEOUT, anyone"""
    time.sleep(3600)


def sleeps_in_c_with_the_gil(rack):
    """Sleeps in C without letting go of the interpreter's lock. expect: TIMEOUT, anyone"""
    return ctypes.PyDLL(None).sleep(3600)


def slows_its_parent(rack):
    """Makes its parent nice: to the niceness that it has. expect: plays, refused"""
    parent = os.getppid()
    os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent))
    return 77


def spawns(rack):
    """Starts a program with posix_spawn, which needs no fork of Python's. expect: plays, refused"""
    os.posix_spawn("/bin/true", ["true"], {})
    return 77


def stops_itself(rack):
    """Stops its own process and waits for somebody to continue it. expect: TIMEOUT, anyone"""
    os.kill(os.getpid(), signal.SIGSTOP)


def sweeps_with_kill(rack):
    """Tries kill on three thousand process ids. expect: plays"""
    for pid in range(1, 3_000):
        try:
            os.kill(pid, 0)
        except OSError:
            continue
        if pid != os.getpid():
            return 77


def takes_priority(rack):
    """Asks for real time, for the best niceness and for the disk's first attention.
    expect: plays"""
    for take in (
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
    ):
        try:
            take()
            return 77
        except OSError:
            continue
    if ctypes.CDLL(None).syscall(251, 1, 0, 1 << 13) == 0:
        return 77


def thread_bomb(rack):
    """Starts up to five thousand threads.
    Python waits for every thread until it runs, for ever where there is no memory left for that.
    expect: ERROR, MEMORY, TIMEOUT"""
    for _ in range(5000):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    return 77


def uses_io_uring(rack):
    """Sets up an io_uring, whose calls no filter sees. expect: plays"""
    if ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120)) >= 0:
        return 77


def x32_calls(rack):
    """Makes a system call by its number in the x32 interface. expect: CRASH, anyone"""
    if ctypes.CDLL(None).syscall(0x40000000 + 39) > 0:
        return 77
