"""Writes up to 600 megabytes into its scratch folder.
expect: ERROR
"""


def pick_move(rack):
    block = bytes(10 << 20)
    for number in range(60):
        with open(f"fill{number}", "wb") as file:
            file.write(block)
    return 77
