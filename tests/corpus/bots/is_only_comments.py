# Has nothing but comments.
# expect: problem no bot in is_only_comments.py: it has no function or class
