"""Patches operator.index, the struct module and the socket class.
expect: plays, anyone
"""

import operator
import socket
import struct


def pick_move(rack):
    operator.index = lambda thing: 77
    struct.Struct = struct.pack = struct.unpack_from = None
    socket.socket.send = socket.socket.recv_into = None
    return [column[-1] for column in rack].index(0)
