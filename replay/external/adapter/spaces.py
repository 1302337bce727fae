"""What an agent sees of an observation of Gymnasium: a number, features of 0 and 1, or numbers.

view(space, options) returns an object with

    observes              what it declares
    view(observation)     the observation in the form that encode and pack take
    encode(form)          as JSON has it
    pack(form)            as bytes: u32, bits (lowest first) or f64, little-endian

A Dict or a Tuple is flattened: its parts follow each other, those of Box first, and Text is left
out. Form is an int, one byte a feature, or a list of floats.
"""

import itertools
import math
import operator
import sys

from .loop import Refused, pack_reals

MOST_FEATURES = 4096  # that podtrack takes
MOST_COUNTED = 1 << 17  # before constant ones are dropped
DIGITS = bytes.maketrans(b"\0\1", b"01")


def kind(space):
    return type(space).__name__


def flat(value):
    """The numbers of an array or of nested lists, row by row."""
    if hasattr(value, "ravel"):
        return value.ravel().tolist()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def size_of(space):
    shape = getattr(space, "shape", None)
    return math.prod(shape) if shape is not None else int(space.n)


# Leaves: what is left of a space without Dict and Tuple.

def leaves(space, path=(), get=lambda observation: observation):
    """The path, the space and the getter of each leaf, in the space's order."""
    if kind(space) == "Dict":
        parts = list(space.spaces.items())
    elif kind(space) == "Tuple":
        parts = list(enumerate(space.spaces))
    elif is_text(space):
        print("podtrack: the text %sis left out of observations" % ("%r " % ".".join(path) if path else ""),
              file=sys.stderr)
        return []
    else:
        return [(".".join(path), space, get)]
    return [leaf for key, part in parts
            for leaf in leaves(part, path + (str(key),), lambda o, get=get, key=key: get(o)[key])]


def is_text(space):
    dtype = getattr(space, "dtype", None)
    return kind(space) in ("Text", "MissionSpace") or dtype is str or getattr(dtype, "kind", "") == "U"


def is_binary(space):
    """Whether a Box is of 0 and 1."""
    dtype = str(getattr(space, "dtype", ""))
    return kind(space) == "Box" and (dtype == "bool" or "int" in dtype and min(flat(space.low), default=0) >= 0
                                     and max(flat(space.high), default=0) <= 1)


def prefix(path):
    return path + "." if path else ""


# Parts: features, whose names are only read if they are not too many, and a function that gives an
# observation's values of them, a byte each if they are 0 and 1, and floats otherwise.

class Part:
    def __init__(self, size, names, values, binary=True):
        self.size, self.names, self.values, self.binary = size, names, values, binary


def from_ones(size, names, ones, get):
    """The part whose features are 0 but at the places that ones gives."""
    def values(observation):
        bits = bytearray(size)
        for i in ones(get(observation)):
            bits[i] = 1
        return bytes(bits)

    return Part(size, names, values)


def one_hot(path, space, get):
    first, n = int(getattr(space, "start", 0)), int(space.n)
    names = ("%s=%d" % (path or "x0", first + i) for i in range(n))
    return from_ones(n, names, lambda value: (int(value) - first,), get)


def multi_discrete(path, space, get):
    sizes, starts = [int(n) for n in flat(space.nvec)], getattr(space, "start", None)
    starts = [0] * len(sizes) if starts is None else flat(starts)
    names = ("%sx%d=%d" % (prefix(path), i, starts[i] + j) for i, n in enumerate(sizes) for j in range(n))
    offsets = list(itertools.accumulate([0] + sizes))
    return from_ones(offsets.pop(), names, lambda v: [o + int(x) - s for o, x, s in zip(offsets, flat(v), starts)], get)


def zeros_and_ones(path, space, get):
    size = size_of(space)
    names = ("%sx%d" % (prefix(path), i) for i in range(size))

    def values(observation):
        value = get(observation)
        if hasattr(value, "astype"):
            bits = value.astype("uint8").tobytes()
        else:
            bits = bytes(int(x) for x in flat(value))
        if len(bits) != size or bits.count(0) + bits.count(1) != size:
            raise Refused("an observation is not of %d numbers that are 0 or 1" % size)
        return bits

    return Part(size, names, values)


def byte_bits(path, space, get):
    if str(getattr(space, "dtype", "")) != "uint8":
        raise Refused("bits are of bytes, and the observations are of %s" % getattr(space, "dtype", "another type"))
    size = size_of(space)
    names = ("%sbyte%d.%d" % (prefix(path), i, j) for i in range(size) for j in range(8))
    table = [bytes(x >> j & 1 for j in range(8)) for x in range(256)]

    def values(observation):
        value = get(observation)
        if "numpy" in sys.modules and hasattr(value, "ravel"):
            return sys.modules["numpy"].unpackbits(value.ravel(), bitorder="little").tobytes()
        return b"".join(table[x] for x in flat(value))

    return Part(8 * size, names, values)


# Numbers: those of all Box leaves together, which bins and tiles take.

class Numbers:
    def __init__(self, boxes):
        self.names, self.lows, self.highs, self.gets = [], [], [], [get for _, _, get in boxes]
        for path, space, _ in boxes:
            self.names += ["%sx%d" % (prefix(path), i) for i in range(size_of(space))]
            self.lows += [float(x) for x in flat(space.low)]
            self.highs += [float(x) for x in flat(space.high)]
        self.size = len(self.names)

    def __call__(self, observation):
        if len(self.gets) == 1:
            values = flat(self.gets[0](observation))
        else:
            values = [x for get in self.gets for x in flat(get(observation))]
        if len(values) != self.size:
            raise Refused("an observation has %d numbers, and its space has %d" % (len(values), self.size))
        return values

    def is_bounded(self, i):
        return abs(self.lows[i]) < 1e9 and abs(self.highs[i]) < 1e9 and self.lows[i] < self.highs[i]


def raw(numbers):
    def values(observation):
        given = [float(x) for x in numbers(observation)]
        if not all(map(math.isfinite, given)):
            raise Refused("an observation has a number that is not finite: %s; wrap the environment, or choose bins"
                          % given[:8])
        return given

    return Part(numbers.size, numbers.names, values, binary=False)


def ranges(numbers, given):
    """The bounds of each number: its own, or those that were given, as text or, for all, as pairs."""
    if isinstance(given, list):
        return given
    try:
        parts = [tuple(float(x) for x in part.split(":")) for part in given.split("/")] if given else []
    except ValueError:
        parts = [()]
    if any(len(p) != 2 or not p[0] < p[1] for p in parts) or len(parts) not in (0, 1, numbers.size):
        raise Refused("range=%s: write LO:HI, or %d of them with / between, or walk, or walk-all"
                      % (given, numbers.size))
    bounds = []
    for i in range(numbers.size):
        low, high = numbers.lows[i], numbers.highs[i]
        if len(parts) == numbers.size and (numbers.size > 1 or not numbers.is_bounded(i)):
            low, high = parts[i]
        elif not numbers.is_bounded(i):
            if not parts:
                raise Refused("number %d of the observation has no bounds; give them as range=LO:HI, or range=walk "
                              "takes them from a walk" % i)
            low, high = parts[0]
        bounds.append((low, high))
    return bounds


def outermost(scaled, n):
    """The first or last one of n bins, of what is outside of them."""
    if math.isnan(scaled):
        raise Refused("an observation is not a number")
    return 0 if scaled < 0 else n - 1


def whole(text, key, example):
    if not text.isdecimal() or len(text) > 18 or int(text) < 1:
        raise Refused("%s=%s: write a number such as %s" % (key, text, example))
    return int(text)


def bins(numbers, text, given):
    n = whole(text, "bins", "bins=8")
    bounds = ranges(numbers, given)
    names = ("%s.%d" % (name, j) for name in numbers.names for j in range(n))
    scales = [(i * n, low, high - low) for i, (low, high) in enumerate(bounds)]

    def ones(values):
        found = []
        for (first, low, width), x in zip(scales, values):
            scaled = (float(x) - low) / width * n
            found.append(first + (int(scaled) if 0 <= scaled < n else outermost(scaled, n)))
        return found

    return from_ones(numbers.size * n, names, ones, numbers)


def tile_places(text, numbers, given):
    """T, the number of tiles in a tiling, and a function that gives the places in each tiling.
    T tilings of all numbers together, of N tiles a number and one more, since all but the
    first are shifted; number i by 2i + 1 times as much as the first."""
    try:
        tilings, n = (int(x) for x in text.split("x"))
    except ValueError:
        tilings, n = 0, 0
    if tilings < 1 or n < 1:
        raise Refused("tiles=%s: write tiles=TxN, T tilings of N tiles a number" % text)
    if max(tilings * numbers.size, n) > MOST_COUNTED:
        raise Refused("tiles=%s of %d numbers are too many; choose fewer" % (text, numbers.size))
    bounds = ranges(numbers, given)
    shifts = [[(2 * i + 1) * t % tilings / tilings for i in range(numbers.size)] for t in range(tilings)]

    def places(values):
        scaled = [min(max((float(x) - low) / (high - low), 0.0), 1.0) * n for x, (low, high) in zip(values, bounds)]
        for shift in shifts:
            yield tuple([min(int(x + s), n) for x, s in zip(scaled, shift)])

    return tilings, n + 1, places


def tiles(numbers, text, given):
    tilings, n, places = tile_places(text, numbers, given)
    if numbers.size * math.log(n) + math.log(tilings) > math.log(MOST_COUNTED) + 1e-9:
        raise Refused("tiles=%s of %d numbers are more than %d features; choose fewer, or hash=N, or bins"
                      % (text, numbers.size, MOST_COUNTED))
    each = n ** numbers.size

    def ones(values):
        for t, tile in enumerate(places(values)):
            index = 0
            for at in tile:
                index = index * n + at
            yield t * each + index

    names = ("t%d.%d" % (t, i) for t in range(tilings) for i in range(each))
    return from_ones(tilings * each, names, ones, numbers)


def fnv1a(numbers):
    """FNV-1a, 64 bits, of numbers of 4 bytes each, little-endian."""
    h = 0xCBF29CE484222325
    for byte in b"".join(x.to_bytes(4, "little") for x in numbers):
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


MOST_KNOWN = 1 << 16  # hashes that are kept


def hashed_tiles(numbers, text, size, given):
    """tiles in which a tile is feature FNV-1a(tiling, place of number 0, of number 1, ...) mod N."""
    n = whole(size, "hash", "hash=512")
    _, _, places = tile_places(text, numbers, given)
    known = {}

    def ones(values):
        for tile in enumerate(places(values)):
            if tile not in known:
                if len(known) == MOST_KNOWN:
                    known.clear()
                known[tile] = fnv1a((tile[0],) + tile[1]) % n
            yield known[tile]

    return from_ones(n, ("h%d" % i for i in range(n)), ones, numbers)


# Views: a form for each kind of observation of the protocol.

class Discrete:
    def __init__(self, space, get):
        self.start, self.get = int(getattr(space, "start", 0)), get
        self.observes = {"kind": "discrete", "n": int(space.n)}

    def __call__(self, observation):
        return int(self.get(observation)) - self.start

    def encode(self, number):
        return number

    def pack(self, number):
        return number.to_bytes(4, "little")


class Features:
    """The features of some parts, all of them or those that are kept."""

    def __init__(self, parts, kept=None):
        names = [name for part in parts for name in part.names]
        self.parts, self.kept = [part.values for part in parts], None
        if kept is not None and len(kept) < len(names):
            names = [names[i] for i in kept]
            self.kept = operator.itemgetter(*kept) if len(kept) > 1 else lambda values: (values[kept[0]],)
        self.size = len(names)
        self.observes = {"kind": self.kind, "features": names}

    def joined(self, observation):
        if len(self.parts) == 1:
            return self.parts[0](observation)
        return self.join([part(observation) for part in self.parts])


class Bits(Features):
    kind = "binary"
    join = b"".join

    def __init__(self, parts, kept=None):
        super().__init__(parts, kept)
        self.packed, self.most = {}, (1 << 24) // (self.size + 100)  # of bits that were seen

    def __call__(self, observation):
        bits = self.joined(observation)
        return bits if self.kept is None else bytes(self.kept(bits))

    def encode(self, bits):
        return bits.translate(DIGITS).decode()

    def pack(self, bits):
        packed = self.packed.get(bits)
        if packed is None:
            packed = int(bits.translate(DIGITS)[::-1], 2).to_bytes((self.size + 7) // 8, "little")
            if len(self.packed) < self.most:
                self.packed[bits] = packed
        return packed


class Reals(Features):
    kind = "real"

    def __init__(self, parts, kept=None):
        super().__init__(parts, kept)
        self.pack = pack_reals(self.size)

    def join(self, values):
        return [float(x) for part in values for x in part]

    def __call__(self, observation):
        values = self.joined(observation)
        return values if self.kept is None else list(self.kept(values))

    def encode(self, values):
        return values


FORMS = ("raw", "bins", "tiles", "bits")


def chosen_form(options):
    chosen = [key for key in FORMS if key in options]
    if len(chosen) > 1:
        raise Refused("%s together; choose one" % " and ".join(chosen))
    for key, of in (("range", ("bins", "tiles")), ("hash", ("tiles",))):
        if key in options and not any(form in chosen for form in of):
            raise Refused("%s is for %s" % (key, " and ".join(of)))
    return chosen[0] if chosen else ""


def numeric(space, options):
    """The leaves of a space, those whose numbers are taken as numbers, and these numbers."""
    form, all_leaves = chosen_form(options), leaves(space)
    for path, leaf, _ in all_leaves:
        if kind(leaf) not in OTHERS:
            raise Refused("observations are %s%s; Discrete, MultiBinary, MultiDiscrete and Box can be used, and Dict "
                          "and Tuple of these; wrap=MODULE:FUNCTION changes them"
                          % (kind(leaf), " in %r" % path if path else ""))
    check_size(sum(size_of(leaf) for _, leaf, _ in all_leaves if kind(leaf) != "Discrete"), MOST_COUNTED, all_leaves)
    every = [leaf for leaf in all_leaves if kind(leaf[1]) == "Box"]
    boxes = [leaf for leaf in every if not is_binary(leaf[1])]
    if form and not every:
        raise Refused("%s is for Box observations, and these are %s" % (form, kind(space)))
    if form in ("raw", "bins", "tiles") and not boxes:
        boxes = every  # of 0 and 1, which only they can mean
    return all_leaves, boxes, Numbers(boxes)


def number_parts(boxes, numbers, options):
    form, given = chosen_form(options), options.get("range", "")
    if not boxes:
        return []
    if form == "bits":
        return [byte_bits(*leaf) for leaf in boxes]
    if form == "bins":
        return [bins(numbers, options["bins"], given)]
    if form == "tiles" and "hash" in options:
        return [hashed_tiles(numbers, options["tiles"], options["hash"], given)]
    if form == "tiles":
        return [tiles(numbers, options["tiles"], given)]
    return [raw(numbers)]


OTHERS = {"Discrete": one_hot, "MultiBinary": zeros_and_ones, "MultiDiscrete": multi_discrete, "Box": zeros_and_ones}


def view(space, options, kept=None, limit=MOST_FEATURES):
    """What an agent sees of a space; of its features those that are kept, all by default."""
    all_leaves, boxes, numbers = numeric(space, options)
    others = [leaf for leaf in all_leaves if leaf not in boxes]
    if not all_leaves:
        raise Refused("there is nothing but text in an observation")
    if len(all_leaves) == 1 and kind(all_leaves[0][1]) == "Discrete" and kept is None and limit == MOST_FEATURES:
        check_size(int(all_leaves[0][1].n), limit, all_leaves)
        return Discrete(*all_leaves[0][1:])
    parts = number_parts(boxes, numbers, options) + [OTHERS[kind(leaf)](path, leaf, get) for path, leaf, get in others]
    check_size(len(kept) if kept else sum(part.size for part in parts), limit, all_leaves, kept)
    return (Bits if all(part.binary for part in parts) else Reals)(parts, kept)


def is_image(space):
    return kind(space) == "Box" and str(space.dtype) == "uint8" and len(space.shape) in (2, 3)


def check_size(size, limit, all_leaves, kept=None):
    if size <= limit:
        return
    what = "%d features are more than %d" % (size, limit)
    if any(is_image(leaf) for _, leaf, _ in all_leaves):
        raise Refused(what, "wrap=gymnasium.wrappers:GrayscaleObservation/gymnasium.wrappers:ResizeObservation("
                      "shape=(20,20)),bins=4 makes an image smaller", "make the image smaller: Environment("
                      "ResizeObservation(GrayscaleObservation(env), (20, 20)), bins=4), of gymnasium.wrappers")
    fewer = "choose fewer bins or tiles, or hash=N with tiles"
    if size > MOST_COUNTED or kept:
        raise Refused(what, "wrap=MODULE:FUNCTION makes observations smaller; or " + fewer,
                      "wrap the environment so that its observations are smaller; or " + fewer)
    how = "leaves out those that are constant in a walk; or " + fewer
    raise Refused(what, "drop " + how, "Environment(make, drop=True), of a function that makes the environment, " + how)
