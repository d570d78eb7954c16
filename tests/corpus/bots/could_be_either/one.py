"""Has two files that could be the bot.
expect: problem several of its files could be the bot (one.py, two.py)
"""


def pick_move(rack):
    return 0
