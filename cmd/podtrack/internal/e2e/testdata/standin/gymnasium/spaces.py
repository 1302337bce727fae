
from gymnasium.arrays import Array, full


class Space:
    shape = dtype = None


class Discrete(Space):
    shape, dtype = (), "int64"

    def __init__(self, n, seed=None, start=0):
        self.n, self.start = n, start

    def contains(self, x):
        return isinstance(x, int) and self.start <= x < self.start + self.n


class MultiBinary(Space):
    dtype = "int8"

    def __init__(self, n):
        self.n, self.shape = n, (n,)

    def contains(self, x):
        return len(x) == self.n and all(v in (0, 1) for v in x)


class MultiDiscrete(Space):
    dtype = "int64"

    def __init__(self, nvec, dtype="int64", seed=None, start=None):
        self.nvec = Array(nvec, "int64")
        self.start, self.shape = Array(start or [0] * len(nvec), "int64"), (len(nvec),)

    def contains(self, x):
        return all(s <= v < s + n for v, s, n in zip(x.values, self.start.values, self.nvec.values))


class Box(Space):
    def __init__(self, low, high, shape=None, dtype="float32"):
        self.shape, self.dtype = tuple(shape) if shape is not None else (len(low),), dtype
        self.low = full(self.shape, low, dtype) if shape is not None else Array(low, dtype)
        self.high = full(self.shape, high, dtype) if shape is not None else Array(high, dtype)

    def contains(self, x):
        return x.shape == self.shape and can_cast(x.dtype, self.dtype) and all(
            low <= v <= high for v, low, high in zip(x.values, self.low.values, self.high.values))


def can_cast(a, b):
    return a == b or a == "bool" or (a, b) == ("float32", "float64")


class Dict(Space):
    def __init__(self, spaces):
        self.spaces = spaces

    def contains(self, x):
        return isinstance(x, dict) and x.keys() == self.spaces.keys() and all(
            s.contains(x[k]) for k, s in self.spaces.items())


class Tuple(Space):
    def __init__(self, spaces):
        self.spaces = tuple(spaces)

    def contains(self, x):
        return len(x) == len(self.spaces) and all(s.contains(v) for s, v in zip(self.spaces, x))


class Text(Space):
    dtype = str

    def __init__(self, max_length):
        self.max_length = max_length

    def contains(self, x):
        return isinstance(x, str) and len(x) <= self.max_length


class Sequence(Space):
    def __init__(self, space):
        self.feature_space = space
