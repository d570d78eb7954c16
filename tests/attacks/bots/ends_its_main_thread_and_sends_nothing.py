"""Ends its main thread alone; the thread that is left sends a message without a byte.
expect: CRASH, anyone
"""

import ctypes
import os
import socket
import threading
import time

EXIT = 60


def send():
    time.sleep(0.05)
    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3)).send(b"")
    time.sleep(1000)


def pick_move(rack):
    threading.Thread(target=send, daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
