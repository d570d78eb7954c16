"""Is all that a folder holds true, and does a game come out the same again?"""
