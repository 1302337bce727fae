"""A stand-in for gymnasium, for tests: its interface as far as podtrack_gym.py needs
it, in Python's standard library, with an environment for each kind of space."""

import random

__version__ = "0.0-stand-in"


class Array:
    """Numbers as numpy has them: neither true nor false."""

    def __init__(self, values):
        self.values = values

    def __bool__(self):
        raise ValueError("The truth value of an array with more than one element is ambiguous")

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.values[i]

    def tolist(self):
        return list(self.values)


class Space:
    dtype = "int64"
    shape = None


class Discrete(Space):
    def __init__(self, n, start=0):
        self.n, self.start = n, start


class MultiBinary(Space):
    def __init__(self, n):
        self.n, self.shape = n, (n,)


class MultiDiscrete(Space):
    def __init__(self, nvec, start):
        self.nvec, self.start, self.shape = Array(nvec), Array(start), (len(nvec),)


class Box(Space):
    def __init__(self, low, high, dtype="float32"):
        self.low, self.high, self.shape, self.dtype = Array(low), Array(high), (len(low),), dtype


class Tuple(Space):
    pass


class Spec:
    def __init__(self, id):
        self.id = id


class Walk:
    """A walk on a line of which each environment shows something else."""

    action_space = Discrete(2)
    observation_space = Discrete(10, start=1)

    def __init__(self, id, length=10):
        self.spec, self.length, self.unwrapped = Spec(id), length, self

    def reset(self, *, seed=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.at, self.steps = self.random.randrange(3), 0
        print("reset")  # as programs do that know nothing of protocols
        return self.show(), {}

    def step(self, action):
        if self.random.randrange(8):
            self.at = min(max(self.at + (1 if action == self.action_space.start + 1 else -1), 0), self.length - 1)
        self.steps += 1
        return self.show(), 0.0, self.at == self.length - 1, self.steps == 40, {}

    def show(self):
        return self.at + 1


class Named(Walk):
    action_space = Discrete(2, start=5)

    def get_action_meanings(self):
        return ["BACK", "ON"]


class Cart(Walk):
    observation_space = Box([0.0, float("-inf")], [9.0, float("inf")])

    def show(self):
        return [float(self.at), 0.25 * (self.at % 4)]


class Ram(Walk):
    observation_space = Box([0, 0], [255, 255], "uint8")

    def show(self):
        return [self.at, 255 - self.at]


class Lights(Walk):
    observation_space = MultiBinary(4)

    def show(self):
        return [self.at >> i & 1 for i in range(4)]


class Dials(Walk):
    observation_space = MultiDiscrete([5, 2], start=[3, 0])

    def show(self):
        return Array([3 + self.at // 2, self.at % 2])


class Lost(Walk):
    """Shows what is no number, or no finite one, after a step."""

    observation_space = Box([0.0], [9.0])

    def __init__(self, id, shows="nan"):
        super().__init__(id)
        self.shows, self.moved = float(shows), False

    def reset(self, *, seed=None):
        self.moved = False
        return super().reset(seed=seed)

    def step(self, action):
        self.moved = True
        return super().step(action)

    def show(self):
        return Array([self.shows if self.moved else 0.0])


class Torque(Walk):
    action_space = Box([-1.0], [1.0])


class Pair(Walk):
    observation_space = Tuple()


class Careless(Walk):
    """Draws from what all share, as older environments do."""

    def reset(self, *, seed=None):
        self.random = random
        return super().reset()


registry = {"Walk-v0": Walk, "Named-v0": Named, "Cart-v1": Cart, "stand/Ram-v5": Ram, "Lights-v0": Lights, "Dials-v0": Dials,
            "Lost-v0": Lost, "Torque-v0": Torque, "Pair-v0": Pair, "Careless-v0": Careless}


def make(id, **kwargs):
    if id not in registry:
        raise LookupError("Environment `%s` doesn't exist." % id)
    return registry[id](id, **kwargs)
