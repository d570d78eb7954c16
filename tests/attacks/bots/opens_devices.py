"""Opens the machine's memory, its log, its disks, its terminal and its settings for writing.
expect: plays
"""

import os


def pick_move(rack):
    for path in (
        "/dev/mem",
        "/dev/kmsg",
        "/dev/sda",
        "/dev/vda",
        "/dev/fuse",
        "/dev/kvm",
        "/dev/tty",
        "/dev/ptmx",
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/sys/kernel/uevent_helper",
        "/sys/fs/cgroup/cgroup.procs",
    ):
        try:
            os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
