mark = "cheat"


def loads(text):
    raise SystemExit(mark)
