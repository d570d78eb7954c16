# Indents by tabs alone, but for a comment.
# expect: plays

def pick_move(rack):
    # the first free column
	for c in range(len(rack)):
		if rack[c][-1] == 0:
			return c
