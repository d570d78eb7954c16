"""Searches in a thread for every column.
expect: plays
"""

import threading


def pick_move(rack):
    found = {}

    def look(c):
        found[c] = rack[c][-1] == 0

    threads = [threading.Thread(target=look, args=(c,)) for c in range(len(rack))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return min(c for c in found if found[c])
