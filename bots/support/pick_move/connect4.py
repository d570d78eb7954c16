"""What the `pick_move` course's game offers to bots. A rack is `rack[c][r]`, r = 0 at the bottom,
of 0 (empty), 1 and 2."""

LINE = 4
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""(columns, rows): up, across, up-right, down-right."""

DISCS = ".XO"


def make_rack(num_columns=7, num_rows=6):
    """An empty rack, as lists."""
    return [[0] * num_rows for _ in range(num_columns)]


def place_disc(rack, player_number, column):
    """Drop a disc. Raises IndexError for a column that is full or does not exist."""
    if 0 not in rack[column]:
        raise IndexError(f"column {column} is full")
    rack[column][rack[column].index(0)] = player_number


def exists_legal_move(rack):
    """Whether any column has room."""
    return any(column[-1] == 0 for column in rack)


def find_win(rack, column=None):
    """The two ends of a line of four or more, as (column, row), or None.

    With `column` only lines through the topmost disc of that column count.
    """
    for c in range(len(rack)) if column is None else [column]:
        discs = [r for r, disc in enumerate(rack[c]) if disc]
        for r in discs if column is None else discs[-1:]:
            for across, up in STEPS:
                ends = _end(rack, c, r, -across, -up), _end(rack, c, r, across, up)
                (left, low), (right, high) = ends
                if max(right - left, abs(high - low)) >= LINE - 1:
                    return ends
    return None


def print_rack(rack):
    """Print the rack under its column numbers, which count from 1 here; `.` is empty."""
    numbers = range(1, len(rack) + 1)
    if len(rack) > 9:
        print(" ".join(str(n // 10) if n > 9 else " " for n in numbers))
    print(" ".join(str(n % 10) for n in numbers))
    for row in reversed(range(len(rack[0]))):
        print(" ".join(DISCS[column[row]] for column in rack))


def _end(rack, c, r, across, up):
    """The last cell in a direction that holds the same disc as this one."""
    player = rack[c][r]
    while (
        0 <= c + across < len(rack)
        and 0 <= r + up < len(rack[0])
        and rack[c + across][r + up] == player
    ):
        c, r = c + across, r + up
    return c, r
