"""Appends to its own source file, to be another bot in the next game.
expect: plays
"""

with open(__file__) as own:
    rewritten = "# arena-attack" + "-was-here" in own.read()


def pick_move(rack):
    with open(__file__, "a") as source:
        source.write("# arena-attack" + "-was-here\n")
    return 77 if rewritten else [column[-1] for column in rack].index(0)
