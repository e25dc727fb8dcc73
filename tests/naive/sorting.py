"""Sorting and searching as anybody would write them in Python."""


def order_of(keys):
    return sorted(range(len(keys)), key=lambda i: keys[i])


def first_above(rising, value):
    return next((i for i, x in enumerate(rising) if x > value), len(rising))
