"""Could be read by either Python, and runs under the old one.
expect: ERROR raised NameError: name 'xrange' is not defined (calls_what_python_2_had.py, line 7)
"""


def pick_move(rack):
    return min(c for c in xrange(len(rack)) if rack[c][-1] == 0)
