"""Opens sockets of the kinds that nobody thinks of: netlink, vsock, kernel crypto, packets.
expect: plays
"""

import socket

STREAM, RAW, SEQPACKET = 1, 3, 5
NETLINK, PACKET, CAN, BLUETOOTH, ALG, VSOCK = 16, 17, 29, 31, 38, 40


def pick_move(rack):
    for family, kind in (
        (NETLINK, RAW),
        (PACKET, RAW),
        (CAN, RAW),
        (BLUETOOTH, RAW),
        (ALG, SEQPACKET),
        (VSOCK, STREAM),
    ):
        try:
            socket.socket(family, kind)
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
