"""The actions of a space of Gymnasium that an agent chooses from."""

import ast
import hashlib
import itertools
import sys

from .loop import Refused
from .spaces import flat, kind, size_of

MOST_ACTIONS = 127  # that podtrack takes
LONGEST_NAME = 100  # bytes


def actions_of(space, text, names=()):
    """The values of the actions of a space, or those that the option says, and their names."""
    if text is None:
        if kind(space) == "Undeclared":
            raise Refused("a game of pycolab does not declare its actions", "actions=[0,1,2,3] lists them",
                          "Environment(make, actions=[0, 1, 2, 3]) lists them")
        if kind(space) != "Discrete":
            remedy = "%sactions=3%s takes 3 values of each number (Box), %sactions=[VALUE,...]%s those that it lists"
            raise Refused("actions are %s, and an agent chooses one of a few" % kind(space), remedy % ("", "", "", ""),
                          remedy % ("Environment(env, ", ")", "Environment(env, ", ")"))
        first, n = int(getattr(space, "start", 0)), int(space.n)
        return checked(range(first, first + n), n), list(names) if is_naming(names, n) else [str(i) for i in range(n)]
    try:
        given = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        given = None
    if kind(space) == "Discrete" and isinstance(given, list) and is_naming(given, int(space.n)):
        return actions_of(space, None, given)
    if isinstance(given, int) and kind(space) == "Box":
        given = grid(space, given)
    if not isinstance(given, (list, tuple)) or not given:
        raise Refused("actions=%s: write actions=N for N values of each number of Box actions, or a list of actions, "
                      "such as actions=[0,2]" % text)
    return checked([action(space, value) for value in given], len(given)), names_of(given)


def is_naming(names, n):
    return len(names) == n == len(set(names)) and all(isinstance(name, str) for name in names)


def checked(values, n):
    if n > MOST_ACTIONS:
        raise Refused("%d actions are more than %d" % (n, MOST_ACTIONS), "actions=[0,2] takes those that it "
                      "lists", "Environment(env, actions=[0, 2]) takes those that it lists")
    return list(values)


def grid(space, n):
    """All combinations of n values of each number, from the lowest to the highest one."""
    size, remedy = size_of(space), "actions=[[0.0,...],...] lists them"
    if n < 2 or size >= MOST_ACTIONS.bit_length() or n ** size > MOST_ACTIONS:
        raise Refused("actions=%d: each of %d numbers takes 2 values or more, and all combinations are %d at most"
                      % (n, size, MOST_ACTIONS), remedy)
    lows, highs = flat(space.low), flat(space.high)
    if not all(abs(x) < 1e9 for x in lows + highs):
        raise Refused("actions=%d takes numbers with bounds, and these go from %s to %s" % (n, lows, highs), remedy)
    each = [[low + (high - low) * i / (n - 1) for i in range(n)] for low, high in zip(lows, highs)]
    return [list(values) for values in itertools.product(*each)]


def action(space, value):
    """An action in the form that step takes."""
    if kind(space) == "Undeclared":
        return value
    if kind(space) in ("Dict", "Tuple"):
        return of_parts(space, value)
    numbers, numpy = flat(value), sys.modules.get("numpy")
    try:
        if kind(space) == "Discrete":
            good = 0 <= value - int(getattr(space, "start", 0)) < space.n
        else:
            good = len(numbers) == size_of(space) and (kind(space) != "Box" or all(
                low <= x <= high for x, low, high in zip(numbers, flat(space.low), flat(space.high))))
    except TypeError:
        good = False
    if not good:
        raise no_action(space, value)
    if numpy is None or kind(space) == "Discrete":
        return value
    made = numpy.array(numbers, space.dtype).reshape(space.shape)
    made.flags.writeable = False  # each step of the action takes it
    return made


def no_action(space, value):
    return Refused("actions: %r is none of the space %s" % (value, kind(space)))


def of_parts(space, value):
    """An action of a Dict or a Tuple, each of whose parts has one."""
    if kind(space) == "Dict":
        if not isinstance(value, dict) or set(value) != set(space.spaces):
            raise no_action(space, value)
        return {key: action(part, value[key]) for key, part in space.spaces.items()}
    if not isinstance(value, (list, tuple)) or len(value) != len(space.spaces):
        raise no_action(space, value)
    return tuple(map(action, space.spaces, value))


def numbers_of(value):
    """The numbers of an action, part by part; a game of pycolab may also have texts."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for part in value for x in numbers_of(part)] if isinstance(value, (list, tuple)) else flat(value)


def names_of(values):
    """A name for each action: its numbers, with as many digits as tell all apart."""
    names = [",".join(x if isinstance(x, str) else "%g" % x for x in numbers_of(value)) for value in values]
    if len(set(names)) < len(names):
        names = [",".join(map(repr, numbers_of(value))) for value in values]
    return [name if len(name) <= LONGEST_NAME else "sha256:" + hashlib.sha256(name.encode()).hexdigest()
            for name in names]
