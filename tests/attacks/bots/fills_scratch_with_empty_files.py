"""Makes up to twenty thousand empty files.
expect: plays
"""


def pick_move(rack):
    try:
        for number in range(20_000):
            with open(f"empty{number}", "w"):
                pass
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
