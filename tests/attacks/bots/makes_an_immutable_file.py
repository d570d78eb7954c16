"""Makes a file that not even root can remove, and if it can, takes that back.
expect: plays
"""

import fcntl

FS_IOC_SETFLAGS = 0x40086602
IMMUTABLE = (16).to_bytes(8, "little")


def pick_move(rack):
    try:
        with open("immutable", "w") as file:
            fcntl.ioctl(file, FS_IOC_SETFLAGS, IMMUTABLE)
            fcntl.ioctl(file, FS_IOC_SETFLAGS, bytes(8))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
