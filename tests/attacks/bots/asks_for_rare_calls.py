"""Makes system calls that no game needs, each of which has been a way out of some sandbox.
expect: plays
"""

import ctypes


def pick_move(rack):
    libc = ctypes.CDLL(None)
    attributes = (ctypes.c_uint32 * 32)(2, 4, 4, 1)
    event = (ctypes.c_uint32 * 32)(1, 128)
    for call in (
        lambda: libc.syscall(321, 0, attributes, 72),  # bpf: a map
        lambda: libc.syscall(298, event, 0, -1, -1, 0),  # perf_event_open
        lambda: libc.syscall(323, 1),  # userfaultfd
        lambda: libc.syscall(319, b"arena", 0),  # memfd_create
        lambda: libc.syscall(447, 0),  # memfd_secret
        lambda: libc.syscall(135, 0x40000),  # personality: no address randomisation
        lambda: libc.syscall(300, 0, 0),  # fanotify_init
        lambda: libc.syscall(212, 0, 0, 0),  # lookup_dcookie
        lambda: libc.syscall(103, 3, ctypes.create_string_buffer(64), 64),  # syslog
        lambda: libc.syscall(173, 0, 1, 1),  # ioperm
        lambda: libc.syscall(279, 0, 0, None, None, None, 0),  # move_pages
        lambda: libc.syscall(312, 1, 1, 0, 0, 0),  # kcmp
        lambda: libc.syscall(154, 0, ctypes.create_string_buffer(64), 64),  # modify_ldt
    ):
        if call() >= 0:
            return 77
    return [column[-1] for column in rack].index(0)
