def my_own_first_free(rack):
    return [column[-1] for column in rack].index(0)
