"""Attacks on the output, and on the channel: descriptors 3, for answers, and 4, for questions."""

import ctypes
import fcntl
import os
import socket
import struct
import sys
import threading


def answers_a_thousand_times(rack):
    """Sends thousands of answers. expect: PROTOCOL, anyone"""
    for number in range(5000):
        os.write(3, number.to_bytes(8, "little") + bytes(19))
    return 77


def answers_the_next_question(rack):
    """Finds the nonce of the question in its caller's frames and answers for the one after it too.
    expect: PROTOCOL, anyone"""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    following = int.from_bytes(frame.f_locals["nonce"], "little") + 1 & (1 << 64) - 1
    os.write(3, struct.pack("<QBHqq", following, 2, 0, 0, -1))


def closes_its_output(rack):
    """Closes standard input, output and error, and prints all the same.
    expect: plays, CRASH, anyone"""
    for fd in (0, 1, 2):
        try:
            os.close(fd)
        except OSError:
            continue
    print("is anybody there?", flush=True)


def closes_the_channel(rack):
    """Closes the channel to the referee and loops. expect: CRASH, anyone"""
    os.close(3)
    while True:
        pass


def floods_stderr(rack):
    """Writes binary noise to standard error, in lines without an end. expect: plays, anyone"""
    for _ in range(100):
        sys.stderr.write("\x00\x1b[2J" * 10_000)


def floods_stdout(rack):
    """Prints as much as it can in a move. expect: plays, anyone"""
    for _ in range(1000):
        print("x" * 10_000)


def floods_the_descriptor(rack):
    """Writes fifty megabytes to its output's descriptor, past every stream.
    expect: plays, anyone, refused"""
    for _ in range(50):
        os.write(1, bytes(1 << 20))
    return 77


def forges_a_fault(rack):
    """Answers itself with the right nonce and a fault of no known kind, with a text of junk.
    expect: PROTOCOL, anyone"""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    answer = struct.pack("<8sBHqq", frame.f_locals["nonce"], 200, 0, 0, 0)
    os.write(3, answer + b"\xff\x1b\n|" * 120)
    return 77


def forges_an_enormous_answer(rack):
    """Answers itself with the right nonce, and with the largest column and count that fit.
    expect: PROTOCOL, anyone"""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    nonce = frame.f_locals["nonce"]
    os.write(3, struct.pack("<8sBHqq", nonce, 2, 65535, (1 << 63) - 1, (1 << 63) - 1))
    return 77


def forges_its_answer(rack):
    """Finds the nonce in its caller's frames, answers with it itself, then answers once more.
    expect: PROTOCOL, anyone"""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    column = [column[-1] for column in rack].index(0)
    os.write(3, struct.pack("<8sBHqq", frame.f_locals["nonce"], 2, 0, column, 0))
    return column


def garbage_on_every_descriptor(rack):
    """Writes garbage to every descriptor there is. expect: PROTOCOL, anyone"""
    for fd in range(64):
        try:
            os.write(fd, b"garbage")
        except OSError:
            continue


def makes_the_channel_impatient(rack):
    """Makes its ends of the channel non-blocking, and lets them merge what it writes.
    Its host then finds no question, or one that came while it was stopped.
    expect: CRASH, plays, anyone"""
    os.set_blocking(3, False)
    os.set_blocking(4, False)
    fcntl.fcntl(3, fcntl.F_SETFL, os.O_NONBLOCK)


def prints_poison(rack):
    """Prints terminal escapes, Markdown fences, table bars, HTML and NUL bytes, then raises.
    expect: ERROR, anyone"""
    print("\x1b[2J\x1b]0;owned\x07 ``` | a | b |\n```\n# A heading\n<script>alert(1)</script>\x00")
    print("\u202egnp.exe\u2028\u2066 \ud800 \r overwritten")
    raise ValueError("as printed")


def reopens_its_output(rack):
    """Opens its output again through /proc, and locks and seals it against the referee.
    expect: plays"""
    for path in ("/proc/self/fd/1", "/dev/fd/1", "/dev/stdout"):
        try:
            with open(path, "r+b") as output:
                fcntl.lockf(output, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
    try:
        fcntl.fcntl(1, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_WRITE)
    except OSError:
        os.lseek(1, 0, os.SEEK_SET)


def sends_an_empty_answer(rack):
    """Writes a message without a byte, which could read as the end of the channel.
    expect: plays, anyone"""
    os.write(3, b"")


def sends_an_enormous_answer(rack):
    """Writes a hundred thousand bytes to the referee at once. expect: PROTOCOL, anyone"""
    os.write(3, bytes(100_000))
    return 77


def stuffs_the_channel(rack):
    """Opens its questions' pipe again for writing, and fills it against the referee.
    expect: TIMEOUT, ERROR, plays, anyone"""
    pipe = os.open("/proc/self/fd/4", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True:
            os.write(pipe, bytes(4096))
    except BlockingIOError:
        return [column[-1] for column in rack].index(0)


def take(pipe):
    while True:
        os.read(pipe, 4096)


def takes_its_answers_back(rack):
    """Opens its answers' pipe again for reading, and takes back what it has answered.
    expect: TIMEOUT, ERROR, plays, anyone"""
    pipe = os.open("/proc/self/fd/3", os.O_RDONLY)
    threading.Thread(target=take, args=(pipe,), daemon=True).start()
    return [column[-1] for column in rack].index(0)


def steals_descriptors(rack):
    """Copies its parent's open files to itself, by pidfd_getfd and through /proc. expect: plays"""
    libc = ctypes.CDLL(None)
    parent = os.getppid()
    pidfd = libc.syscall(434, parent, 0)
    for fd in range(32):
        if libc.syscall(438, pidfd, fd, 0) >= 0:
            return 77
        try:
            os.open(f"/proc/{parent}/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
            return 77
        except OSError:
            continue


def opens_its_neighbours_channels(rack):
    """Opens the pipes of processes that started about when it did. expect: plays"""
    for process in (*range(1, 200), *range(os.getpid() - 200, os.getpid() + 200)):
        for fd, how in ((3, os.O_RDONLY), (3, os.O_WRONLY), (4, os.O_RDONLY), (4, os.O_WRONLY)):
            try:
                if process != os.getpid():
                    os.open(f"/proc/{process}/fd/{fd}", how | os.O_NONBLOCK)
                    return 77
            except OSError:
                continue


def flood():
    while True:
        os.write(3, bytes(27))


def answers_after_answering(rack):
    """Floods the channel from a thread once it has answered. expect: PROTOCOL, anyone"""
    threading.Thread(target=flood, daemon=True).start()


kept = []


def replaces_the_channel(rack):
    """Puts a socket of its own in the channel's place and keeps the channel open beside it.
    expect: TIMEOUT, anyone"""
    kept.extend(socket.socketpair())
    os.dup(3)
    os.dup2(kept[0].fileno(), 3)


def steal():
    while True:
        os.read(4, 4096)


def steals_questions(rack):
    """Reads the referee's questions from a thread, so that its own host never sees them.
    A bot with a thread is stopped outside its turns. If the thread waits before the answer is sent,
    both readers wake up together at the next question, and the host reads it.
    expect: TIMEOUT, plays, anyone"""
    threading.Thread(target=steal, daemon=True).start()
