"""A contest's pages over HTTP, live while it is played, and games against its bots.

The server's own process only passes on what others have made: a process that reads the journal
writes the data as files (`arena/web/publisher.py`), and each game is played in a process of its own
(`arena/web/board.py`). All of them leave the cores to the contest (`arena/web/masks.py`).
"""
