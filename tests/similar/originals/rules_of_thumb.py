"""No search: win, block, do not give away, prefer the middle."""


def height_of(column):
    n = 0
    for cell in column:
        if cell == 0:
            break
        n += 1
    return n


def count_direction(rack, col, row, step_col, step_row, side):
    n = 0
    col += step_col
    row += step_row
    while 0 <= col < len(rack) and 0 <= row < len(rack[0]) and rack[col][row] == side:
        n += 1
        col += step_col
        row += step_row
    return n


def longest_line(rack, col, row, side):
    horizontal = 1 + count_direction(rack, col, row, 1, 0, side)
    horizontal += count_direction(rack, col, row, -1, 0, side)
    vertical = 1 + count_direction(rack, col, row, 0, -1, side)
    rising = 1 + count_direction(rack, col, row, 1, 1, side)
    rising += count_direction(rack, col, row, -1, -1, side)
    falling = 1 + count_direction(rack, col, row, 1, -1, side)
    falling += count_direction(rack, col, row, -1, 1, side)
    return max(horizontal, vertical, rising, falling)


def would_win(rack, col, side):
    row = height_of(rack[col])
    return row < len(rack[col]) and longest_line(rack, col, row, side) >= 4


def gives_away(rack, col, other):
    """Whether the other side wins on top of a disc in this column."""
    row = height_of(rack[col]) + 1
    if row >= len(rack[col]):
        return False
    return longest_line(rack, col, row, other) >= 4


def pick_move(rack):
    counts = {1: 0, 2: 0}
    for column in rack:
        for cell in column:
            if cell:
                counts[cell] += 1
    side = 1 if counts[1] <= counts[2] else 2
    other = 2 if side == 1 else 1
    possible = [col for col in range(len(rack)) if height_of(rack[col]) < len(rack[col])]
    for col in possible:
        if would_win(rack, col, side):
            return col
    for col in possible:
        if would_win(rack, col, other):
            return col
    safe = [col for col in possible if not gives_away(rack, col, other)] or possible
    middle = len(rack) // 2

    def points(col):
        row = height_of(rack[col])
        attack = longest_line(rack, col, row, side)
        defence = longest_line(rack, col, row, other)
        return 3 * attack + 2 * defence - abs(col - middle)

    return max(safe, key=points)
