"""The board is one string; regular expressions find the lines."""

import re
from functools import lru_cache

W = 8  # a column of seven characters and a border


def pattern(gap, cells):
    return "".join(f"{cell}{'.' * gap}" for cell in cells)[: -gap or None]


def everywhere(cells):
    return [re.compile(pattern(gap, cells), re.S) for gap in (0, W - 2, W - 1, W)]


FOUR = {who: everywhere([who] * 4) for who in "xo"}
THREES = {
    who: [
        compiled
        for hole in range(4)
        for compiled in everywhere([who] * hole + ["_"] + [who] * (3 - hole))
    ]
    for who in "xo"
}


def won(text, who):
    return any(each.search(text) for each in FOUR[who])


def open_threes(text, who):
    return sum(len(each.findall(text)) for each in THREES[who])


def after(text, column, who):
    for row in range(5, -1, -1):
        place = row * W + column
        if text[place] == "_":
            return text[:place] + who + text[place + 1 :]
    return None


@lru_cache(maxsize=200_000)
def worth(text, who, depth):
    foe = "o" if who == "x" else "x"
    if won(text, foe):
        return -100 - depth
    if depth == 0 or "_" not in text:
        return open_threes(text, who) - open_threes(text, foe)
    return max(
        -worth(child, foe, depth - 1)
        for column in range(7)
        if (child := after(text, column, who)) is not None
    )


def pick_move(rack):
    rows = [
        "".join("_xo"[rack[column][row]] for column in range(7)) + "|" for row in range(5, -1, -1)
    ]
    text = "".join(rows)
    who = "x" if text.count("x") == text.count("o") else "o"
    foe = {"x": "o", "o": "x"}[who]
    children = {column: after(text, column, who) for column in (3, 4, 2, 5, 1, 6, 0)}
    ranked = {
        column: -worth(child, foe, 3) for column, child in children.items() if child is not None
    }
    return max(ranked, key=ranked.__getitem__)
