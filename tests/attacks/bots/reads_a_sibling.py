"""Reads the source of another bot, from the folder that holds them all.
expect: ERROR
"""

from pathlib import Path


def pick_move(rack):
    own = Path(__file__).parent
    for bot in own.parent.iterdir():
        for source in bot.rglob("*.py"):
            if bot != own:
                source.read_bytes()
    return 77
