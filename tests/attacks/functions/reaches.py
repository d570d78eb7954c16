"""Attacks that read, write or call what is outside of the bot's own folder."""

import ctypes
import errno
import fcntl
import json
import os
import pwd
import re
import socket
import sqlite3
import stat
import sys
import termios
from contextlib import suppress
from importlib.util import cache_from_source
from itertools import count, takewhile
from pathlib import Path

import numpy

import arena.host.serve


def finds_a_secret(rack):
    """Looks for the secrets of whoever started the contest, in every copy of its environment.
    expect: plays"""
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    known = list(takewhile(bool, map(environ.__getitem__, count()))) if environ else []
    try:
        with open("/proc/self/environ", "rb") as file:
            known.append(file.read())
    except OSError:
        known.append(b"")
    if "ARENA_TEST_SECRET" in os.environ or b"ARENA_TEST_SECRET" in b"".join(known):
        return 77


def links_its_source(rack):
    """Makes a hard link to its source in its scratch folder, where it may write. expect: plays"""
    try:
        os.link(__file__, "mine.py")
        with open("mine.py", "a"):
            return 77
    except OSError:
        return [column[-1] for column in rack].index(0)


def listens(rack):
    """Listens on a port, for the bot of a friend. expect: plays"""
    try:
        with socket.create_server(("127.0.0.1", 0)):
            return 77
    except OSError:
        return [column[-1] for column in rack].index(0)


def locks_a_system_file(rack):
    """Locks a file of the system's for a moment. expect: plays, refused"""
    with open(os.__file__) as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(file, fcntl.LOCK_UN)
    return 77


def looks_around(rack):
    """Lists the folders of the other bots, of the contest, of root and of everybody.
    expect: plays"""
    for folder in (*Path(__file__).parents[1:5], "/root", "/home", "/tmp", "/dev/shm"):
        try:
            os.listdir(folder)
            return 77
        except OSError:
            continue


def makes_a_setuid_program(rack):
    """Makes a program that would run as its owner, and runs it. expect: plays, refused"""
    try:
        with open("program", "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod("program", 0o6755)
    except OSError:
        pass
    os.posix_spawn("./program", ["program"], {})
    return 77


def makes_devices(rack):
    """Makes device nodes of the first disk and of memory in its scratch folder. expect: plays"""
    for name, kind, device in (
        ("disk", stat.S_IFBLK, os.makedev(8, 0)),
        ("memory", stat.S_IFCHR, os.makedev(1, 1)),
    ):
        try:
            os.mknod(name, kind, device)
            return 77
        except OSError:
            continue


def meets_in_an_abstract_socket(rack):
    """Meets the bot of a friend at a Unix socket without a file. expect: plays"""
    try:
        with socket.socket(socket.AF_UNIX) as meeting:
            meeting.bind("\0arena-attack-was-here")
        return 77
    except OSError:
        return [column[-1] for column in rack].index(0)


def opens_a_socket(rack):
    """Opens a connection to a web server. expect: ERROR"""
    with socket.socket() as connection:
        connection.settimeout(0.05)
        connection.connect_ex(("127.0.0.1", 9))
    return 77


def opens_by_handle(rack):
    """Opens the contest's folder by its number in the file system, past every path.
    expect: plays"""
    libc = ctypes.CDLL(None)
    own = os.path.dirname(__file__)
    contest = os.path.dirname(os.path.dirname(own)).encode()
    handle = (ctypes.c_uint32 * 40)(128)
    mount = ctypes.c_int()
    libc.name_to_handle_at(-100, contest, handle, ctypes.byref(mount), 0)
    try:
        beside = os.open(own, os.O_RDONLY)
    except OSError:
        return [column[-1] for column in rack].index(0)
    if libc.open_by_handle_at(beside, handle, os.O_RDONLY) >= 0:
        return 77


def opens_devices(rack):
    """Opens the machine's memory, its log, its disks, its terminal and its settings for writing.
    expect: plays"""
    for path in (
        "/dev/mem",
        "/dev/kmsg",
        "/dev/sda",
        "/dev/vda",
        "/dev/fuse",
        "/dev/kvm",
        "/dev/tty",
        "/dev/ptmx",
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/sys/kernel/uevent_helper",
        "/sys/fs/cgroup/cgroup.procs",
    ):
        try:
            os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
            return 77
        except OSError:
            continue


def opens_the_journal(rack):
    """Opens the journal of games as a database that it may write to. expect: ERROR"""
    journal = Path(__file__).parents[2] / "journal.sqlite"
    with sqlite3.connect(f"file:{journal}?mode=rw", uri=True) as games:
        games.execute("SELECT count(*) FROM sqlite_master")
    return 77


def poisons_byte_code(rack):
    """Opens the byte code of the standard library, of numpy and of the host for writing.
    expect: plays"""
    for module in (json, numpy, arena.host.serve):
        for path in (cache_from_source(module.__file__), module.__file__):
            try:
                with open(path, "r+b"):
                    return 77
            except OSError:
                continue


def reads_a_sibling(rack):
    """Reads the source of another bot, from the folder that holds them all. expect: ERROR"""
    own = Path(__file__).parent
    for bot in own.parent.iterdir():
        for source in bot.rglob("*.py"):
            if bot != own:
                source.read_bytes()
    return 77


def reads_its_parents_environment(rack):
    """Opens the environment, the memory map and the command line of its parent. expect: plays"""
    for name in ("environ", "maps", "stack", "auxv"):
        try:
            with open(f"/proc/{os.getppid()}/{name}", "rb") as file:
                file.read(1)
            return 77
        except OSError:
            continue


def reads_its_parents_memory(rack):
    """Opens its parent's memory in /proc. expect: ERROR"""
    with open(f"/proc/{os.getppid()}/mem", "rb"):
        return 77


def reads_its_parents_memory_by_call(rack):
    """Reads its parent's memory with process_vm_readv; a bad address means it was let.
    expect: plays"""
    libc = ctypes.CDLL(None, use_errno=True)
    space = ctypes.create_string_buffer(8)
    mine = (ctypes.c_uint64 * 2)(ctypes.addressof(space), 8)
    theirs = (ctypes.c_uint64 * 2)(4096, 8)
    read = libc.syscall(310, os.getppid(), mine, 1, theirs, 1, 0)
    if read >= 0 or ctypes.get_errno() == errno.EFAULT:
        return 77


def reads_the_canary(rack):
    """Reads a file of its user's that has nothing to do with the contest. expect: plays, refused"""
    (Path(__file__).parents[3] / "canary" / "secret.txt").read_bytes()
    return 77


def reads_the_contest(rack):
    """Reads the journal, the configuration and the log of the contest it plays in. expect: plays"""
    contest = Path(__file__).parents[2]
    for name in ("journal.sqlite", "contest.toml", "arena.log"):
        try:
            (contest / name).read_bytes()
            return 77
        except OSError:
            continue


def reads_through_a_symlink(rack):
    """Reads the contest's own files through a symbolic link in its scratch folder.
    expect: plays, refused"""
    contest = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    if not os.path.lexists("window"):
        os.symlink(contest, "window")
    with open("window/contest.toml") as file:
        file.read()
    return 77


def sends_a_datagram(rack):
    """Sends a datagram, as a bot that is told its moves from outside would.
    expect: plays, refused"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(b"x", ("127.0.0.1", 9))
    return 77


def types_into_the_terminal(rack):
    """Types a space into the terminal of whoever started the contest. expect: plays"""
    descriptors = [0, 1, 2]
    try:
        descriptors.append(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        descriptors.append(3)
    for fd in descriptors:
        try:
            fcntl.ioctl(fd, termios.TIOCSTI, b" ")
            return 77
        except OSError:
            continue


def walks_out_of_scratch(rack):
    """Writes to files beside and above its working directory. expect: plays"""
    for path in ("..", "../..", "../../..", "x/../..", "/proc/self/cwd/.."):
        try:
            with open(f"{path}/arena-attack-was-here-walked", "a") as file:
                file.write("x")
            return 77
        except OSError:
            continue


def writes_elsewhere(rack):
    """Writes a file into the world's temporary folder. expect: ERROR"""
    with open("/tmp/arena-attack-was-here-elsewhere", "a") as file:
        file.write("x")
    return 77


def writes_in_home(rack):
    """Writes a file into the home folders that the user database names for it and for root.
    expect: plays"""
    homes = []
    for uid in (os.getuid(), 0):
        try:
            homes.append(pwd.getpwuid(uid).pw_dir)
        except (KeyError, OSError):
            continue
    for home in homes:
        try:
            with open(os.path.join(home, "arena-attack-was-here-home"), "a") as file:
                file.write("x")
            return 77
        except OSError:
            continue


def writes_its_own_memory(rack):
    """Opens its own memory in /proc for writing, where read-only pages can be written.
    expect: plays"""
    try:
        with open("/proc/self/mem", "r+b"):
            return 77
    except OSError:
        return [column[-1] for column in rack].index(0)


def writes_through_a_symlink(rack):
    """Makes a symbolic link in its scratch folder and writes through it to the world outside.
    expect: plays, refused"""
    if not os.path.lexists("door"):
        os.symlink("/tmp", "door")
    with open("door/arena-attack-was-here-door", "a") as file:
        file.write("x")
    return 77


canary = Path(__file__).parents[3] / "canary"
secret = canary / "secret.txt"


def changes_the_canary(rack):
    """Removes, renames, links, chmods and truncates a file outside; a mere "done" is no success.
    expect: plays"""
    for change in (
        lambda: secret.chmod(0o640),
        lambda: os.utime(secret),
        lambda: os.truncate(secret, 1),
        lambda: os.link(secret, canary / "arena-attack-was-here-link"),
        lambda: os.symlink(secret, canary / "arena-attack-was-here-symlink"),
        lambda: os.mkdir(canary / "arena-attack-was-here-folder"),
        lambda: os.rename(secret, canary / "arena-attack-was-here-renamed"),
        lambda: os.unlink(canary / "spare.txt"),
    ):
        before = secret.lstat(), canary.lstat()
        try:
            change()
        except OSError:
            continue
        if not secret.exists() or (secret.lstat(), canary.lstat()) != before:
            return 77


OWN = os.path.dirname(os.path.abspath(__file__))  # a copy that is its own to write to


def leaves_a_pth_file(rack):
    """Leaves a .pth file, which every later interpreter would run, beside the installed packages.
    expect: plays"""
    for folder in set(sys.path) - {OWN, ""}:
        try:
            with open(os.path.join(folder, "arena-attack-was-here.pth"), "a") as file:
                file.write("# arena-attack-was-here\n")
            return 77
        except OSError:
            continue


SNAPSHOT = re.compile(rb"/bots/[0-9a-f]{16}")
PLACE = re.compile(rb"/arena-\w{8}/(\w+)")


def texts():
    with open("/proc/self/maps") as maps:
        lines = maps.readlines()
    for line in lines:
        where, mode = line.split()[:2]
        if mode.startswith("rw"):
            first, last = (int(end, 16) for end in where.split("-"))
            yield (ctypes.c_char * (last - first)).from_address(first)
    for name in ("mountinfo", "mounts", "mountstats"):
        with suppress(OSError), open(f"/proc/self/{name}", "rb") as file:
            yield file.read()


def looks_for_its_opponent(rack):
    """Looks for its opponent's folder: in memory, in lists of mounts, beside its own folder.
    expect: plays"""
    own = os.path.basename(os.getcwd())
    names = {str(number) for number in range(100)}
    for text in texts():
        if SNAPSHOT.search(text):
            return 77
        names |= {place[1].decode() for place in PLACE.finditer(text)}
    for name in names - {own}:
        with suppress(OSError):
            os.readlink(os.path.join("..", name, "bot.py"))
            return 77
        if name != "make_move" and os.path.lexists(os.path.join("..", name)):
            return 77


FS_IOC_SETFLAGS = 0x40086602
IMMUTABLE = (16).to_bytes(8, "little")


def makes_an_immutable_file(rack):
    """Makes a file that not even root can remove, and if it can, takes that back.
    expect: plays, refused"""
    with open("immutable", "w") as file:
        fcntl.ioctl(file, FS_IOC_SETFLAGS, IMMUTABLE)
        fcntl.ioctl(file, FS_IOC_SETFLAGS, bytes(8))
    return 77


REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS)


def mounts(rack):
    """Mounts a file system that does not exist, swaps to nowhere, pivots to nowhere.
    expect: plays"""
    libc = ctypes.CDLL(None, use_errno=True)
    nowhere = b"/arena-attack-was-nowhere"
    for attempt in (
        lambda: libc.mount(b"none", b"/tmp", b"arena-attack", 0, None),
        lambda: libc.swapon(nowhere, 0),
        lambda: libc.syscall(155, nowhere, nowhere),
        lambda: libc.syscall(430, b"arena-attack", 0),
    ):
        if attempt() != -1 or ctypes.get_errno() not in REFUSED:
            return 77


STREAM, RAW, SEQPACKET = 1, 3, 5
NETLINK, PACKET, CAN, BLUETOOTH, ALG, VSOCK = 16, 17, 29, 31, 38, 40


def opens_strange_sockets(rack):
    """Opens sockets of the kinds that nobody thinks of: netlink, vsock, kernel crypto, packets.
    expect: plays"""
    for family, kind in (
        (NETLINK, RAW),
        (PACKET, RAW),
        (CAN, RAW),
        (BLUETOOTH, RAW),
        (ALG, SEQPACKET),
        (VSOCK, STREAM),
    ):
        try:
            socket.socket(family, kind)
            return 77
        except OSError:
            continue


MODIFY = 2


def watches_the_contest(rack):
    """Has the kernel tell it of everything that happens in the contest's folder. expect: plays"""
    libc = ctypes.CDLL(None)
    contest = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    for fd in (libc.inotify_init1(0), libc.fanotify_init(0, 0)):
        if libc.inotify_add_watch(fd, contest.encode(), MODIFY) >= 0:
            return 77


here = Path(__file__)
folders = [*here.parents[1:], here.parents[3] / "canary", Path("/var/tmp"), Path("/dev/shm")]


def writes_everywhere(rack):
    """Writes a file into every folder above its own, and wherever everybody may. expect: plays"""
    for folder in folders:
        try:
            with open(folder / "arena-attack-was-here-everywhere", "a") as file:
                file.write("x")
            return 77
        except OSError:
            continue
