import numpy


class Array:
    def __init__(self, shape, dtype, name=None):
        self.shape, self.dtype, self.name = tuple(shape), numpy.dtype(dtype), name


class BoundedArray(Array):
    def __init__(self, shape, dtype, minimum, maximum, name=None):
        super().__init__(shape, dtype, name)
        self.minimum, self.maximum = numpy.array(minimum, self.dtype), numpy.array(maximum, self.dtype)


class DiscreteArray(BoundedArray):
    def __init__(self, num_values, dtype=numpy.int32, name=None):
        super().__init__((), dtype, 0, num_values - 1, name)
        self.num_values = num_values


class StringArray(Array):
    def __init__(self, shape, string_type=str, name=None):
        super().__init__(shape, object, name)
        self.string_type = string_type
