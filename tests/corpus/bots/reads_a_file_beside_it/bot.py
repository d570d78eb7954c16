"""Reads its opening book by a relative path, when it is imported and at every move.
expect: plays
"""

with open("data/book.txt") as file:
    BOOK = [int(word) for word in file.read().split()]


def pick_move(rack):
    with open("./data/book.txt") as file:
        assert [int(word) for word in file.read().split()] == BOOK
    return next(column for column in BOOK if rack[column][-1] == 0)
