"""An environment of Gymnasium for podtrack: python3 podtrack_gym.py NAME [KEY=VALUE ...]

It speaks podtrack's protocol through podtrack_loop.py, and needs Python's standard library
and gymnasium. Actions have to be Discrete.

What an agent sees is chosen by one of
    raw            a feature a number (Box); the default there
    bins=N         N equal bins a number, one of which is 1 (Box)
    tiles=TxN      T tilings of N tiles a number, each shifted by a T-th of a tile (Box)
    bits           8 features a byte (Box of bytes, such as the RAM of Atari games)
and for bins and tiles
    range=LO:HI    of numbers that have no bounds of their own, or LO:HI/LO:HI/... one a
                   number, which then count for all of them
Discrete observations are numbers; MultiBinary and MultiDiscrete ones are features of
0 and 1. Any other KEY=VALUE is an argument of gymnasium.make.
"""

import ast
import importlib
import math
import random
import struct
import sys

from podtrack_loop import Refused, serve

ADAPTER = 2  # its version, the first thing in the environment's version
PROTOCOL = 1
MOST_FEATURES = 4096
DIGITS = bytes.maketrans(b"\0\1", b"01")


def flat(value):
    """The numbers of an array or of nested lists, row by row."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def kind(space):
    return type(space).__name__


class Discrete:
    """Observations that are numbers."""

    def __init__(self, space):
        self.start = int(getattr(space, "start", 0))
        self.observes = {"kind": "discrete", "n": int(space.n)}

    def __call__(self, observation):
        return int(observation) - self.start

    def encode(self, number):
        return number

    def pack(self, number):
        return number.to_bytes(4, "little")


class Bits:
    """Observations of 0 and 1, by a function that gives the places of the ones."""

    def __init__(self, names, ones):
        if len(names) > MOST_FEATURES:
            raise Refused("%d features are more than %d; choose fewer bins or tiles" % (len(names), MOST_FEATURES))
        self.observes = {"kind": "binary", "features": names}
        self.ones, self.size = ones, len(names)

    def __call__(self, observation):
        bits = bytearray(self.size)
        for i in self.ones(flat(observation)):
            bits[i] = 1
        return bits

    def encode(self, bits):
        return bits.translate(DIGITS).decode()

    def pack(self, bits):
        return int(bits.translate(DIGITS)[::-1], 2).to_bytes((self.size + 7) // 8, "little")


class Raw:
    """Observations of numbers, as they are."""

    def __init__(self, size):
        if size > MOST_FEATURES:
            raise Refused("%d numbers are more than %d features" % (size, MOST_FEATURES))
        self.observes = {"kind": "real", "features": ["x%d" % i for i in range(size)]}
        self.struct = struct.Struct("<%dd" % size)

    def __call__(self, observation):
        values = [float(x) for x in flat(observation)]
        if not all(math.isfinite(x) for x in values):
            raise Refused("an observation has a number that is not finite: %s; wrap the environment, or choose bins" % values[:8])
        return values

    def encode(self, values):
        return values

    def pack(self, values):
        return self.struct.pack(*[x + 0.0 for x in values])  # -0 is 0


def multi_binary(space):
    names = ["x%d" % i for i in range(math.prod(shape_of(space)))]
    return Bits(names, lambda values: [i for i, x in enumerate(values) if x])


def multi_discrete(space):
    sizes, starts = flat(space.nvec), getattr(space, "start", None)
    starts = [0] * len(sizes) if starts is None else flat(starts)
    names, offsets = [], []
    for i, n in enumerate(sizes):
        offsets.append(len(names))
        names += ["x%d=%d" % (i, starts[i] + j) for j in range(int(n))]
    return Bits(names, lambda values: [o + int(x) - s for o, x, s in zip(offsets, values, starts)])


def shape_of(space):
    shape = getattr(space, "shape", None)
    return tuple(shape) if shape is not None else (int(space.n),)


def ranges(space, size, given):
    """The bounds of each number: its own, or those that were given."""
    lows, highs = flat(space.low), flat(space.high)
    parts = [tuple(float(x) for x in part.split(":")) for part in given.split("/")] if given else []
    if any(len(p) != 2 or not p[0] < p[1] for p in parts) or len(parts) not in (0, 1, size):
        raise Refused("range=%s: write LO:HI, or %d of them with / between" % (given, size))
    bounds = []
    for i in range(size):
        low, high = float(lows[i]), float(highs[i])
        if len(parts) == size and (size > 1 or not bounded(low, high)):
            low, high = parts[i]
        elif not bounded(low, high):
            if not parts:
                raise Refused("number %d of the observation has no bounds; give them as range=LO:HI" % i)
            low, high = parts[0]
        bounds.append((low, high))
    return bounds


def bounded(low, high):
    return abs(low) < 1e9 and abs(high) < 1e9 and low < high


def place(x, low, high, n):
    """The bin of x, of n between low and high; what is outside is in the outermost."""
    if math.isnan(x):
        raise Refused("an observation is not a number")
    return int(min(max((x - low) / (high - low) * n, 0), n - 1))


def bins(space, n, given):
    size = math.prod(shape_of(space))
    bounds = ranges(space, size, given)
    names = ["x%d.%d" % (i, j) for i in range(size) for j in range(n)]
    return Bits(names, lambda values: [i * n + place(float(x), *bounds[i], n) for i, x in enumerate(values)])


def tiles(space, text, given):
    """T tilings of all numbers together, of N tiles a number and one more, since all
    but the first are shifted; number i by 2i + 1 times as much as the first."""
    try:
        tilings, n = (int(x) for x in text.split("x"))
    except ValueError:
        raise Refused("tiles=%s: write tiles=TxN, T tilings of N tiles a number" % text)
    size = math.prod(shape_of(space))
    if tilings < 1 or n < 1 or size * math.log(n + 1) + math.log(tilings) > math.log(MOST_FEATURES) + 1e-9:
        raise Refused("tiles=%s of %d numbers are more than %d features; choose fewer, or bins" % (text, size, MOST_FEATURES))
    bounds = ranges(space, size, given)
    each = (n + 1) ** size

    def ones(values):
        scaled = [min(max((float(x) - low) / (high - low), 0.0), 1.0) * n for x, (low, high) in zip(values, bounds)]
        places = []
        for t in range(tilings):
            index = 0
            for i, x in enumerate(scaled):
                index = index * (n + 1) + min(int(x + (2 * i + 1) * t % tilings / tilings), n)
            places.append(t * each + index)
        return places

    return Bits(["t%d.%d" % (t, i) for t in range(tilings) for i in range(each)], ones)


def byte_bits(space):
    if str(getattr(space, "dtype", "")) != "uint8":
        raise Refused("bits are of bytes, and the observations are of %s" % getattr(space, "dtype", "another type"))
    size = math.prod(shape_of(space))
    names = ["byte%d.%d" % (i, j) for i in range(size) for j in range(8)]
    return Bits(names, lambda values: [8 * i + j for i, x in enumerate(values) for j in range(8) if x >> j & 1])


def observer(space, options):
    """What turns the observations of a space into those of the protocol."""
    chosen = [key for key in ("raw", "bins", "tiles", "bits") if key in options]
    if len(chosen) > 1:
        raise Refused("%s together; choose one" % " and ".join(chosen))
    if chosen and kind(space) != "Box":
        raise Refused("%s is for Box observations, and these are %s" % (chosen[0], kind(space)))
    if kind(space) == "Discrete":
        return Discrete(space)
    if kind(space) == "MultiBinary":
        return multi_binary(space)
    if kind(space) == "MultiDiscrete":
        return multi_discrete(space)
    if kind(space) != "Box":
        raise Refused("observations are %s; Discrete, MultiBinary, MultiDiscrete and Box can be used" % kind(space))
    given = options.get("range", "")
    if "bins" in options:
        n = options["bins"]
        if not n.isdigit() or int(n) < 1:
            raise Refused("bins=%s: write a number such as bins=8" % n)
        return bins(space, int(n), given)
    if "tiles" in options:
        return tiles(space, options["tiles"], given)
    if given:
        raise Refused("a range is for bins and tiles")
    return byte_bits(space) if "bits" in options else Raw(math.prod(shape_of(space)))


def literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def package_version(env):
    """The version of the package that the environment is from, if it has one."""
    root = type(env.unwrapped).__module__.split(".")[0]
    if root in ("gymnasium", "__main__"):
        return ""
    version = getattr(importlib.import_module(root), "__version__", "")
    return ", %s %s" % (root, version) if version else ""


class Environment:
    def __init__(self, arguments):
        name, options = arguments[0], {}
        for argument in arguments[1:]:
            key, _, value = argument.partition("=")
            options[key] = value
        try:
            import gymnasium
        except ImportError as error:
            raise Refused("%s cannot import gymnasium (%s); install it there, or name another Python in PODTRACK_PYTHON" % (sys.executable, error))
        others = {k: literal(v) for k, v in options.items() if k not in ("raw", "bins", "tiles", "bits", "range")}
        try:
            self.env = gymnasium.make(name, **others)
        except Exception as error:
            elsewhere = "; the current folder is not searched: name it in PYTHONPATH" if isinstance(error, ModuleNotFoundError) else ""
            raise Refused("gymnasium.make: %s: %s%s" % (type(error).__name__, error, elsewhere))
        space = self.env.action_space
        if kind(space) != "Discrete":
            raise Refused("actions are %s; only Discrete ones can be used" % kind(space))
        self.first = int(getattr(space, "start", 0))
        self.observe = observer(self.env.observation_space, options)
        spec = getattr(self.env, "spec", None)
        self.encode, self.pack = self.observe.encode, self.observe.pack
        self.declaration = {
            "protocol": PROTOCOL,
            "name": getattr(spec, "id", None) or name,
            "version": "adapter %d, gymnasium %s%s" % (ADAPTER, gymnasium.__version__, package_version(self.env)),
            "actions": self.action_names(int(space.n)),
            "observes": self.observe.observes,
            "parameters": options,
            "snapshot": False,
        }

    def action_names(self, n):
        meanings = getattr(self.env.unwrapped, "get_action_meanings", None)
        names = [str(name).lower() for name in meanings()] if meanings else []
        return names if len(set(names)) == n else [str(i) for i in range(n)]

    def reset(self, seed):
        if seed is None:
            return self.observe(self.env.reset()[0])
        seed %= 2**32  # more is refused by RandomState of NumPy, and so by MinAtar
        random.seed(seed)  # for environments that draw from what all share
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed)
        return self.observe(self.env.reset(seed=seed)[0])

    def step(self, action):
        observation, reward, terminated, truncated, _ = self.env.step(self.first + action)
        return self.observe(observation), reward, terminated, truncated


if __name__ == "__main__":
    serve(lambda: Environment(sys.argv[1:]))
