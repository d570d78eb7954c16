"""Opens the journal of games as a database that it may write to.
expect: ERROR
"""

import sqlite3
from pathlib import Path


def pick_move(rack):
    journal = Path(__file__).parents[2] / "journal.sqlite"
    with sqlite3.connect(f"file:{journal}?mode=rw", uri=True) as games:
        games.execute("SELECT count(*) FROM sqlite_master")
    return 77
