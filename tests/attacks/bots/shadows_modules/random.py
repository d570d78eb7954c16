mark = "cheat"


def seed(number):
    raise SystemExit(mark)
