"""Gives files names with newlines, escapes, stray bytes, dashes and 255 letters.
expect: plays
"""

from contextlib import suppress

ODD = (b"-rf", b" ", b"a\nb", b"\x1b[2J", b"\xff\xfe", b"x" * 255, b"*", b"~", b"$(reboot)")


def pick_move(rack):
    for name in (*ODD, "\u202egnp"):
        with suppress(OSError), open(name, "wb"):
            continue
    return [column[-1] for column in rack].index(0)
