"""Attacks that take, or leave behind, memory, descriptors and space."""

import ctypes
import fcntl
import mmap
import multiprocessing
import os
import socket
import time
from contextlib import suppress
from multiprocessing import shared_memory


def exhausts_descriptors(rack):
    """Opens files until it gets no more, at most two thousand. expect: plays"""
    opened = []
    try:
        while len(opened) < 2000:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        for fd in opened:
            os.close(fd)
        return [column[-1] for column in rack].index(0)
    return 77


def fills_scratch_with_deleted_files(rack):
    """Fills files that are deleted but open, which no listing shows.
    expect: plays, LOAD_ERROR, refused"""
    for _ in range(40):
        fd = os.open("deleted", os.O_WRONLY | os.O_CREAT)
        os.unlink("deleted")
        os.write(fd, bytes(1 << 20))
    return 77


def fills_scratch_with_empty_files(rack):
    """Makes up to twenty thousand empty files. expect: plays, refused"""
    for number in range(20_000):
        with open(f"empty{number}", "w"):
            pass
    return 77


def fills_scratch_with_links(rack):
    """Makes up to eighteen thousand symbolic links, folders and fifos, which are no files.
    expect: plays, refused"""
    for number in range(6000):
        os.symlink("x" * 200, f"link{number}")
        os.mkdir(f"folder{number}")
        os.mkfifo(f"fifo{number}")
    return 77


def fills_the_disk(rack):
    """Writes up to 600 megabytes into its scratch folder. expect: ERROR"""
    block = bytes(10 << 20)
    for number in range(60):
        with open(f"fill{number}", "wb") as file:
            file.write(block)
    return 77


def keeps_every_descriptor(rack):
    """Opens files until it gets no more and keeps them open through all its games.
    expect: plays, LOAD_ERROR"""
    with suppress(OSError):
        for _ in range(2000):
            os.dup(0)


def leaks_slowly(rack):
    """Takes memory piece by piece until there is no more, at most four gigabytes.
    expect: MEMORY, TIMEOUT, anyone"""
    leaked = []
    while len(leaked) < 4096:
        leaked.append(bytearray(1 << 20))
    return 77


def leaves_a_file_for_a_friend(rack):
    """Leaves a file in its scratch folder and looks for one that another process left.
    expect: plays"""
    try:
        with open("message", "a+") as file:
            file.write(f"{os.getpid()}\n")
            file.seek(0)
            writers = set(file)
    except OSError:
        return [column[-1] for column in rack].index(0)
    if len(writers) > 1:
        return 77


def leaves_a_key(rack):
    """Leaves a key in the kernel's keyring for its friends. expect: plays"""
    libc = ctypes.CDLL(None)
    if libc.syscall(248, b"user", b"arena-attack-was-here", b"x", 1, -2) >= 0:
        return 77
    if libc.syscall(250, 0, -4, 1) >= 0:
        return 77


def leaves_a_message_queue(rack):
    """Leaves a POSIX message queue for its friends. expect: plays"""
    libc = ctypes.CDLL(None)
    if libc.mq_open(b"/arena-attack-was-here", os.O_RDWR | os.O_CREAT, 0o666, None) >= 0:
        libc.mq_unlink(b"/arena-attack-was-here")
        return 77


def leaves_shared_memory(rack):
    """Leaves a file in shared memory for its next game. expect: plays, refused"""
    with open("/dev/shm/arena-attack-was-here-shm", "a") as file:
        file.write("x")
    return 77


def leaves_what_cannot_be_removed(rack):
    """Leaves folders without any permission, files in them, and a fifo that would block a reader.
    expect: plays"""
    with suppress(OSError):
        os.makedirs("locked/inner")
        with open("locked/inner/file", "w"):
            os.mkfifo("locked/fifo")
        for folder in ("locked/inner", "locked", "."):
            os.chmod(folder, 0)


def locks_memory(rack):
    """Locks all of its memory, so that the machine cannot swap it out. expect: plays"""
    if ctypes.CDLL(None).mlockall(3) == 0:
        return 77


def makes_a_sparse_file(rack):
    """Makes a file of a terabyte with nothing in it. expect: plays, refused"""
    with open("sparse", "wb") as file:
        os.truncate(file.fileno(), 1 << 40)
    return 77


def makes_semaphores(rack):
    """Makes up to a thousand named semaphores, which live in shared memory.
    expect: plays, refused"""
    kept = []
    while len(kept) < 1000:
        kept.append(multiprocessing.Semaphore())
    return 77


def moves_its_scratch(rack):
    """Moves its scratch folder to where nobody will clean it up, or removes it. expect: plays"""
    here = os.getcwd()
    with suppress(OSError):
        os.rename(here, os.path.join(os.path.dirname(here), "arena-attack-was-here-moved"))
        return 77
    with suppress(OSError):
        os.rmdir(here)


def opens_refused_files(rack):
    """Makes files for three seconds, most of which are refused by whoever counts them.
    expect: TIMEOUT"""
    until = time.perf_counter() + 3
    while time.perf_counter() < until:
        for number in range(300):
            with suppress(OSError):
                os.close(os.open(f"file{number}", os.O_WRONLY | os.O_CREAT))


def remaps_memory(rack):
    """Takes 600 megabytes with mappings made by hand: private, and shared without a file.
    expect: plays"""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_long
    for kind in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
        size, flags = ctypes.c_size_t(600 << 20), kind | mmap.MAP_ANONYMOUS
        if libc.mmap(None, size, 3, flags, -1, ctypes.c_long(0)) != -1:
            return 77


def shares_memory_by_name(rack):
    """Makes shared memory by name, with the standard library's own class. expect: ERROR"""
    memory = shared_memory.SharedMemory("arena-attack-was-here", create=True, size=4096)
    memory.unlink()
    return 77


def shares_memory_with_nobody(rack):
    """Maps a gigabyte of shared anonymous memory, which its memory limit does not count.
    expect: ERROR"""
    mmap.mmap(-1, 1 << 30)
    return 77


def stretches_its_output(rack):
    """Makes the file of its output a terabyte long, with a hole in it.
    expect: plays, anyone, refused"""
    try:
        os.ftruncate(1, 1 << 40)
        return 77
    except OSError:
        pass
    os.lseek(1, 1 << 40, os.SEEK_SET)
    os.write(1, b"x")
    return 77


def takes_two_gigabytes(rack):
    """Takes two gigabytes at once. expect: MEMORY, anyone"""
    bytearray(2 << 30)
    return 77


added = os.path.join(os.path.dirname(__file__), "arena-attack-was-here.py")
was_there = os.path.exists(added)


def adds_a_file_to_itself(rack):
    """Writes a new module into its own folder, and looks for the one of an earlier game.
    expect: plays"""
    with open(added, "a"):
        return 77 if was_there else [column[-1] for column in rack].index(0)


PIPE = 64 << 20


def fills_pipes(rack):
    """Fills pipes and sockets, whose memory is the kernel's and not its own.
    expect: plays, refused"""
    for _ in range(12):
        _, end = os.pipe()
        os.set_blocking(end, False)
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE)
        os.write(end, bytes(PIPE))
    return 77


kept = []


def fills_scratch_through_mappings(rack):
    """Maps files of its scratch folder and fills the memory, which no write sees.
    expect: plays, CRASH, refused"""
    size = 15 << 20
    for number in range(25):
        fd = os.open(f"mapped{number}", os.O_RDWR | os.O_CREAT)
        os.ftruncate(fd, size)
        kept.append(mmap.mmap(fd, size))
        os.close(fd)
        kept[-1].write(bytes(size))
    return 77


def leaks_from_move_to_move(rack):
    """Keeps fifty megabytes more with every move and goes on playing when it gets no more.
    expect: plays, anyone"""
    try:
        kept.append(bytearray(50 << 20))
    except MemoryError:
        return [column[-1] for column in rack].index(0)
    if len(kept) > 10:
        return 77


CREATE, REMOVE, KEY = 0o1666, 0, 0x41726E61


def leaves_system_v_memory(rack):
    """Leaves a System V shared memory segment, a semaphore and a message queue for its friends.
    expect: plays"""
    libc = ctypes.CDLL(None)
    segment = libc.shmget(KEY, 4096, CREATE)
    semaphore = libc.semget(KEY, 1, CREATE)
    queue = libc.msgget(KEY, CREATE)
    libc.shmctl(segment, REMOVE, None)
    libc.semctl(semaphore, 0, REMOVE)
    libc.msgctl(queue, REMOVE, None)
    if max(segment, semaphore, queue) >= 0:
        return 77


ODD = (b"-rf", b" ", b"a\nb", b"\x1b[2J", b"\xff\xfe", b"x" * 255, b"*", b"~", b"$(reboot)")


def names_files_oddly(rack):
    """Gives files names with newlines, escapes, stray bytes, dashes and 255 letters.
    expect: plays"""
    for name in (*ODD, "\u202egnp"):
        with suppress(OSError), open(name, "wb"):
            continue


pinned = []


def pins_files_by_mappings(rack):
    """Maps a page of each of many deleted files, which keeps them where no listing shows them.
    expect: plays"""
    try:
        for _ in range(40 if not pinned else 0):
            fd = os.open("pinned", os.O_RDWR | os.O_CREAT)
            try:
                os.write(fd, bytes(4 << 20))
                pinned.append(mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ))
            finally:
                os.close(fd)
                os.unlink("pinned")
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77 if len(pinned) == 40 else [column[-1] for column in rack].index(0)


here, there = socket.socketpair()


def puts_descriptors_in_flight(rack):
    """Sends descriptors into a socket that nobody reads, where the kernel counts them for the user.
    expect: plays, refused"""
    for _ in range(1000):
        socket.send_fds(here, [b"x"], [0] * 50)
    return 77


def rests_on_full_scratch(rack):
    """Fills its scratch folder, its pipes and its sockets, and keeps all of it while others play.
    expect: plays"""
    try:
        for number in range(4 if not kept else 0):
            with open(f"kept{number}", "wb") as file:
                file.write(bytes(15 << 20))
        for _ in range(5):
            kept.append(socket.socketpair())
            kept[-1][0].setblocking(False)
            kept[-1][0].send(bytes(1 << 20))
            kept.append(os.pipe())
            os.set_blocking(kept[-1][1], False)
            os.write(kept[-1][1], bytes(1 << 20))
    except OSError:
        pass


MAP_GROWSDOWN = 0x100


def takes_memory_as_a_stack(rack):
    """Takes 600 megabytes as a mapping that grows down, which the limit of data does not count.
    expect: plays"""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_long
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_GROWSDOWN
    if libc.mmap(None, ctypes.c_size_t(600 << 20), 3, flags, -1, ctypes.c_long(0)) != -1:
        return 77
