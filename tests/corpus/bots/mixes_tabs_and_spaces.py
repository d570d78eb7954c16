# Indents by tabs here and by spaces there.
# expect: problem TabError: mixes_tabs_and_spaces.py indents with tabs and with spaces (line 7)

def pick_move(rack):
	for c in range(len(rack)):
        	if rack[c][-1] == 0:
			return c
