"""A contest's live pages over HTTP, and games against its bots.

The server process only forwards data. The publisher process reads the journal and writes data files
(`publisher.py`). Each game is played in a board process (`board.py`). All these processes give way
to the contest (`processes.py`).
"""
