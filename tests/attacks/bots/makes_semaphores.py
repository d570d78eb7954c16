"""Makes up to a thousand named semaphores, which live in shared memory.
expect: plays
"""

import multiprocessing


def pick_move(rack):
    kept = []
    try:
        while len(kept) < 1000:
            kept.append(multiprocessing.Semaphore())
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
