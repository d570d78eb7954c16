"""Prints terminal escapes, Markdown fences, table bars, HTML and NUL bytes, then raises.
expect: ERROR, anyone
"""


def pick_move(rack):
    print("\x1b[2J\x1b]0;owned\x07 ``` | a | b |\n```\n# A heading\n<script>alert(1)</script>\x00")
    print("\u202egnp.exe\u2028\u2066 \ud800 \r overwritten")
    raise ValueError("as printed")
