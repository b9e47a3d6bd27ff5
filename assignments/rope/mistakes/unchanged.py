"""x comes back as it is."""


def rope(x, positions, base=10000.0, interleaved=False):
    return x.copy()
