"""Raises an error of a class whose name and message try to be terminal codes, Markdown and CSV.
expect: ERROR, anyone
"""

NAME = 'E\x1b[31m\n| a | b |\n```\n# x\u202e,"=1+1"\';<b>'


def pick_move(rack):
    raise type(NAME, (Exception,), {})(NAME * 20 + "\x00\ud800")
