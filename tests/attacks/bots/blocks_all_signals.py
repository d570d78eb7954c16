"""Blocks and ignores every signal, then loops.
expect: TIMEOUT, anyone
"""

import signal


def pick_move(rack):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass
