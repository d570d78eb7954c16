"""Makes a system call through the old 32-bit door, with machine code of its own.
expect: CRASH, anyone
"""

import ctypes
import mmap

GETPID = bytes.fromhex("b814000000cd80c3")  # mov eax, 20; int 0x80; ret


def pick_move(rack):
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    code = mmap.mmap(-1, 4096, flags, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(GETPID)
    here = ctypes.addressof(ctypes.c_char.from_buffer(code))
    ctypes.CFUNCTYPE(ctypes.c_int)(here)()
    return 77
