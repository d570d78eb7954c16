"""Opens a connection to a web server.
expect: ERROR
"""

import socket


def pick_move(rack):
    with socket.socket() as connection:
        connection.settimeout(0.05)
        connection.connect_ex(("127.0.0.1", 9))
    return 77
