"""Imports its player from a file that was not handed in.
expect: problem it imports ComputerPlayer from my_player, which is not among its files
"""

from my_player import ComputerPlayer

bot = ComputerPlayer(1, 4)
