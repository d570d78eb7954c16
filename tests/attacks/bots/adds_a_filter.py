"""Installs a system call filter of its own that refuses the host every answer.
expect: plays, CRASH
"""

import ctypes
import struct

SECCOMP, FILTER, SENDTO, EPERM = 22, 2, 44, 0x50001


def pick_move(rack):
    program = struct.pack("<HBBI", 0x20, 0, 0, 0)
    program += struct.pack("<HBBI", 0x15, 0, 1, SENDTO) + struct.pack("<HBBI", 6, 0, 0, EPERM)
    program += struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000)
    code = ctypes.create_string_buffer(program)
    header = struct.pack("<HxxxxxxQ", 4, ctypes.addressof(code))
    ctypes.CDLL(None).prctl(SECCOMP, FILTER, header, 0, 0)
    return [column[-1] for column in rack].index(0)
