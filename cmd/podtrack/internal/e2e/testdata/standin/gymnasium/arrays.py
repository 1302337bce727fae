"""Arrays as NumPy has them, as far as an environment's user meets them."""

import array
import math

CODES = {"uint8": "B", "int64": "q", "float32": "f", "float64": "d", "bool": "B"}


class Array:
    def __init__(self, values, dtype, shape=None):
        self.values, self.dtype = array.array(CODES[dtype], values), dtype
        self.shape = (len(self.values),) if shape is None else tuple(shape)
        assert math.prod(self.shape) == len(self.values)

    def __bool__(self):
        raise ValueError("The truth value of an array with more than one element is ambiguous")

    def __len__(self):
        return self.shape[0]

    def __eq__(self, other):
        return Array([a == b for a, b in zip(self.values, other.values)], "bool", self.shape)

    def __getitem__(self, i):
        if len(self.shape) == 1:
            return self.values[i]
        n = len(self.values) // self.shape[0]
        return Array(self.values[i * n:(i + 1) * n], self.dtype, self.shape[1:])

    def ravel(self):
        return Array(self.values, self.dtype)

    def astype(self, dtype):
        cast = float if dtype.startswith("float") else bool if dtype == "bool" else int
        return Array([cast(x) for x in self.values], dtype, self.shape)

    def tobytes(self):
        return self.values.tobytes()

    def tolist(self):
        if len(self.shape) == 1:
            return [bool(x) for x in self.values] if self.dtype == "bool" else self.values.tolist()
        return [self[i].tolist() for i in range(len(self))]


def full(shape, value, dtype):
    return Array([value] * math.prod(shape), dtype, shape)
