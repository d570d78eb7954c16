"""Ends its main thread alone; the thread that is left shuts the channel down.
expect: CRASH
"""

import ctypes
import os
import socket
import threading
import time

EXIT = 60


def shut_down():
    time.sleep(0.05)
    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3)).shutdown(socket.SHUT_RDWR)
    time.sleep(1000)


def pick_move(rack):
    threading.Thread(target=shut_down, daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
