# Was copied out of a notebook.
# expect: problem has a notebook's command in line 3 (%matplotlib inline)
%matplotlib inline
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
