"""Makes shared memory by name, with the standard library's own class.
expect: ERROR
"""

from multiprocessing import shared_memory


def pick_move(rack):
    memory = shared_memory.SharedMemory("arena-attack-was-here", create=True, size=4096)
    memory.unlink()
    return 77
