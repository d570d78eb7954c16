"""Attacks on processes, signals, limits and calls that only root may make."""

import contextlib
import ctypes
import errno
import mmap
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
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


SECCOMP, FILTER, SENDTO, EPERM = 22, 2, 44, 0x50001


def adds_a_filter(rack):
    """Installs a system call filter of its own that refuses the host every answer.
    expect: plays, CRASH"""
    program = struct.pack("<HBBI", 0x20, 0, 0, 0)
    program += struct.pack("<HBBI", 0x15, 0, 1, SENDTO) + struct.pack("<HBBI", 6, 0, 0, EPERM)
    program += struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000)
    code = ctypes.create_string_buffer(program)
    header = struct.pack("<HxxxxxxQ", 4, ctypes.addressof(code))
    ctypes.CDLL(None).prctl(SECCOMP, FILTER, header, 0, 0)


EXIT = 60


def relay(turns):
    if not turns:
        os.close(3)
    threading.Thread(target=relay, args=(turns - 1,), daemon=True).start()


def ends_its_main_thread_among_many(rack):
    """Ends its main thread alone; threads that each start the next one and end hide who is left.
    expect: CRASH, TIMEOUT, anyone"""
    threading.Thread(target=relay, args=(20,), daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)


def close():
    time.sleep(0.05)
    os.close(3)
    time.sleep(1000)


def ends_its_main_thread_and_closes_the_channel(rack):
    """Ends its main thread alone; the thread that is left closes the channel.
    expect: CRASH, anyone"""
    threading.Thread(target=close, daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)


def send():
    time.sleep(0.05)
    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3)).send(b"")
    time.sleep(1000)


def ends_its_main_thread_and_sends_nothing(rack):
    """Ends its main thread alone; the thread that is left sends a message without a byte.
    expect: CRASH, anyone"""
    threading.Thread(target=send, daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)


def shut_down():
    time.sleep(0.05)
    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3)).shutdown(socket.SHUT_RDWR)
    time.sleep(1000)


def ends_its_main_thread_and_shuts_the_channel_down(rack):
    """Ends its main thread alone; the thread that is left shuts the channel down. expect: CRASH"""
    threading.Thread(target=shut_down, daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)


def leave():
    time.sleep(0.001)
    os._exit(0)


def exits_after_answering(rack):
    """Ends its own process from a thread a moment after it has answered. expect: CRASH, anyone"""
    threading.Thread(target=leave, daemon=True).start()


GETPID = bytes.fromhex("b814000000cd80c3")  # mov eax, 20; int 0x80; ret


def int_0x80(rack):
    """Makes a system call through the old 32-bit door, with machine code of its own.
    expect: CRASH, anyone"""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    code = mmap.mmap(-1, 4096, flags, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(GETPID)
    here = ctypes.addressof(ctypes.c_char.from_buffer(code))
    ctypes.CFUNCTYPE(ctypes.c_int)(here)()
    return 77


kernel = ctypes.CDLL(None, use_errno=True)
KILL, TKILL, TGKILL, SIGQUEUE, TGSIGQUEUE = 62, 200, 234, 129, 297
PIDFD_OPEN, PIDFD_SEND, SETRLIMIT, CLONE, PRCTL = 434, 424, 160, 56, 157
SET_PDEATHSIG, SET_SECCOMP, STRICT = 1, 22, 1
SIGKILL, F_SETFL, F_SETOWN, F_SETSIG, O_ASYNC = 9, 4, 8, 10, 0o20000


def by_limits():
    for which in (resource.RLIMIT_CPU, 15):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(which, (0, 0))
    kernel.syscall(SETRLIMIT, resource.RLIMIT_CPU, (ctypes.c_ulong * 2)(0, 0))
    until = time.process_time() + 0.02
    while time.process_time() < until:
        pass


def by_signals():
    me = os.getpid()
    about = (ctypes.c_int * 32)(SIGKILL, 0, -1)
    for call in (KILL, TKILL, SIGQUEUE):
        for target in (me, threading.get_native_id(), 0, -1, -me):
            kernel.syscall(call, target, SIGKILL, about)
    for call in (TGKILL, TGSIGQUEUE):
        kernel.syscall(call, me, me, SIGKILL, about)
    kernel.syscall(PIDFD_SEND, kernel.syscall(PIDFD_OPEN, me, 0), SIGKILL, None, 0)


def by_others():
    kernel.syscall(PRCTL, SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    kernel.syscall(PRCTL, SET_SECCOMP, STRICT, 0, 0, 0)
    kernel.syscall(CLONE, SIGKILL, 0, 0, 0, 0)  # the signal that a child's end would send
    one, other = os.pipe()
    for command, value in ((F_SETOWN, os.getpid()), (F_SETSIG, SIGKILL), (F_SETFL, O_ASYNC)):
        kernel.fcntl(one, command, value)
    os.write(other, b"x")
    os.close(one)
    os.close(other)


def kills_itself_in_every_way(rack):
    """Ends its process by SIGKILL, if any call lets it: who was killed from outside plays again.
    expect: plays"""
    by_limits()
    by_signals()
    by_others()


NEW_USER, NEW_MOUNT, NEW_NETWORK = 0x10000000, 0x20000, 0x40000000


def makes_namespaces(rack):
    """Moves into namespaces of its own, where it would be root. expect: plays"""
    libc = ctypes.CDLL(None)
    if not all(libc.unshare(flag) for flag in (NEW_USER, NEW_MOUNT, NEW_NETWORK)):
        return 77
    try:
        fd = os.open("/proc/self/ns/net", os.O_RDONLY)
    except OSError:
        return [column[-1] for column in rack].index(0)
    if libc.setns(fd, 0) == 0:
        return 77


PDEATHSIG, DUMPABLE, PTRACER, SUBREAPER = 1, 4, 0x59616D61, 36


def outlives_its_parent(rack):
    """Asks the kernel not to end it with its parent, and to let anybody trace it. expect: plays"""
    libc = ctypes.CDLL(None)
    everybody = ctypes.c_ulong(-1)
    for option, value in (
        (PDEATHSIG, ctypes.c_ulong(0)),
        (DUMPABLE, ctypes.c_ulong(1)),
        (PTRACER, everybody),
        (SUBREAPER, ctypes.c_ulong(1)),
    ):
        if libc.prctl(option, value, 0, 0, 0) == 0:
            return 77


MOVE, COLUMN, UNMETERED = 2, 2, -1


def answer(nonce):
    os.write(3, struct.pack("<8sBHqq", nonce, COLUMN, 0, 6, UNMETERED))


def play(nonce):
    time.sleep(0.02)  # until that has ended
    answer(nonce)
    while True:
        request = os.read(3, 8192)
        if request[0] == MOVE:
            answer(request[1:9])


def plays_on_without_its_main_thread(rack):
    """Ends its main thread alone; a thread answers in its place, as the host would, to the end.
    expect: CRASH"""
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("data"), bytearray):
        frame = frame.f_back
    nonce = bytes(frame.f_locals["data"][1:9])
    threading.Thread(target=play, args=(nonce,), daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)


def stop():
    while True:
        time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGSTOP)


def stops_after_answering(rack):
    """Stops its own process from a thread once it has answered, again whenever it is continued.
    expect: TIMEOUT, anyone"""
    if threading.active_count() > 1:
        time.sleep(0.1)  # it has been continued, and stops before it can answer
    else:
        threading.Thread(target=stop, daemon=True).start()


PTRACE_SEIZE = 0x4206


def traces_its_parent(rack):
    """Attaches to its parent as a debugger would. expect: plays"""
    if ctypes.CDLL(None).syscall(101, PTRACE_SEIZE, os.getppid(), None, None) == 0:
        return 77


CLOSE_RANGE, UNSHARE = 436, 2


def unshares_by_closing(rack):
    """Asks close_range for a table of descriptors of its own. expect: plays"""
    if ctypes.CDLL(None).syscall(CLOSE_RANGE, 90, 99, UNSHARE) == 0:
        return 77
