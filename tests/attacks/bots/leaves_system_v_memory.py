"""Leaves a System V shared memory segment, a semaphore and a message queue for its friends.
expect: plays
"""

import ctypes

CREATE, REMOVE, KEY = 0o1666, 0, 0x41726E61


def pick_move(rack):
    libc = ctypes.CDLL(None)
    segment = libc.shmget(KEY, 4096, CREATE)
    semaphore = libc.semget(KEY, 1, CREATE)
    queue = libc.msgget(KEY, CREATE)
    libc.shmctl(segment, REMOVE, None)
    libc.semctl(semaphore, 0, REMOVE)
    libc.msgctl(queue, REMOVE, None)
    if max(segment, semaphore, queue) >= 0:
        return 77
    return [column[-1] for column in rack].index(0)
