"""Attacks that take, or leave behind, memory, descriptors and space."""

import ctypes
import mmap
import multiprocessing
import os
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
