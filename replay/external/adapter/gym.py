"""An environment of Gymnasium for podtrack: python3 -m podtrack.adapter.gym [MODULE:]NAME [KEY=VALUE ...]

It speaks podtrack's protocol through loop.py, and needs Python's standard library
and gymnasium. MODULE is imported first, so that it registers NAME, with Gymnasium or with Gym; or NAME
is a function or class of MODULE that makes an environment, of dm_env, PettingZoo or pycolab, too.

podtrack help gymnasium has the options.
"""

import base64
import hashlib
import inspect
import json
import os
import random
import sys
import zlib

from .actions import actions_of
from .interfaces import Space, as_gymnasium, given
from .loop import Refused, code_of, serve
from .make import OWN, data_read, files_of, maker, note_data, package_text, package_versions, parse
from .spaces import MOST_COUNTED, numeric, view, whole

ADAPTER = 2  # its version, the first thing in the environment's version
PROTOCOL = 1
LONGEST_VALUE = 1000  # bytes, of a parameter
LONGEST_VERSION = 100


def start(environment, seed):
    """Begins an episode with a seed, and returns its observation."""
    seed %= 2**32  # RandomState of NumPy takes no more, and so MinAtar does
    random.seed(seed)  # for environments that draw from what all share
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    if takes_seed(environment):
        return first_of(environment.reset(seed=seed))
    if hasattr(environment, "seed"):
        environment.seed(seed)
    return first_of(environment.reset())


def takes_seed(environment):
    """Whether reset takes a seed, as it does since Gym 0.24: before that, seed did."""
    try:
        parameters = inspect.signature(getattr(environment, "unwrapped", environment).reset).parameters
    except (TypeError, ValueError):
        return True
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def first_of(answer):
    """The observation that reset returned: with an info since Gym 0.26, and alone before."""
    return answer[0] if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict) else answer


def step_of(answer):
    """What step returned, as Gymnasium has it; Gym before 0.26 has one value for terminated and truncated."""
    if len(answer) == 4:
        observation, reward, done, info = answer
        truncated = bool(done and info.get("TimeLimit.truncated", False))
        return observation, reward, bool(done) and not truncated, truncated
    if len(answer) != 5:
        raise Refused("step returned %d values, not (observation, reward, terminated, truncated, info)" % len(answer))
    return answer[:4]


class Walk:
    """A walk of random actions in an environment made for it alone."""

    def __init__(self, make, actions, options):
        self.make, self.actions = make, actions
        self.steps = whole(options.get("walk", "10000"), "walk", "walk=10000")
        seed = options.get("walk_seed", "0")
        if not seed.isdigit():
            raise Refused("walk_seed=%s: write a number such as walk_seed=1" % seed)
        self.seed = int(seed)

    def observations(self):
        environment, drawn = self.make(), random.Random(self.seed)
        n = len(self.actions)
        yield start(environment, self.seed)
        for _ in range(self.steps):
            observation, _, terminated, truncated = step_of(environment.step(self.actions[int(drawn.random() * n)]))
            yield observation
            if terminated or truncated:
                yield first_of(environment.reset())
        environment.close()

    def ranges(self, numbers, every):
        """The bounds of numbers, as the option range gives them: from the walk, or their own."""
        lows, highs = None, None
        for observation in self.observations():
            values = [float(x) for x in numbers(observation)]
            lows = values if lows is None else list(map(min, lows, values))
            highs = values if highs is None else list(map(max, highs, values))
        parts = []
        for i, (low, high) in enumerate(zip(lows, highs)):
            if not every and numbers.is_bounded(i):
                low, high = numbers.lows[i], numbers.highs[i]
            parts.append((low, high if low < high else low + 1.0))
        return parts

    def varying(self, space, options):
        """The places of the features that are not constant."""
        seen = view(space, options, limit=MOST_COUNTED)
        first, left = None, range(seen.size)
        for observation in self.observations():
            form = seen(observation)
            first = form if first is None else first
            if form != first:
                left = [i for i in left if form[i] == first[i]]
        constant = set(left)
        kept = [i for i in range(seen.size) if i not in constant]
        if not kept:
            raise Refused("all %d features were constant in a walk of %d steps; choose more, or not drop"
                          % (seen.size, self.steps))
        return kept


# What a walk found when a run was started: podtrack passes it on, so that the walk is not taken
# in each process, and no resumed run can have other ranges.

def found_before(name, declared):
    """What a walk of this environment with these options found, None if that is not known."""
    text = os.environ.pop("PODTRACK_GYM_FOUND", None)
    if text is None:
        return None
    found = json.loads(zlib.decompress(base64.b64decode(text)))
    theirs, mine = ({k: v for k, v in p.items() if k != "range"} for p in (found["parameters"], declared))
    return found if found["name"] == name and theirs == mine else None


def found_ranges(found):
    text = found["parameters"].get("range", "") if found else ""
    if not text or "sha256:" in text:  # too long to be declared
        return None
    return [tuple(float(x) for x in part.split(":")) for part in text.split("/")]


def found_places(found, space, options):
    """The places of the features that were kept."""
    if not found:
        return None
    names = view(space, options, limit=MOST_COUNTED).observes["features"]
    wanted = set(found["features"])
    kept = [i for i, name in enumerate(names) if name in wanted]
    return kept if [names[i] for i in kept] == found["features"] else None


def short(text, limit):
    """A text of a limited length, by its hash where it is longer."""
    if len(text.encode()) <= limit:
        return text
    begins = text.encode()[:limit - 80].decode(errors="ignore")
    return "%s sha256:%s" % (begins, hashlib.sha256(text.encode()).hexdigest())


def named(arguments):
    """The environment of Gymnasium of a name, with its options behind that."""
    options = parse(arguments[1:])
    return Environment(*maker(arguments[0], options), options)


def check_options(options):
    """Refuses options that are not the adapter's, of an environment that is made elsewhere."""
    for key in options:
        if key not in OWN or key == "wrap":
            raise Refused("%s is no option of the adapter; it has %s" % (key, ", ".join(k for k in OWN if k != "wrap")))


def layers_of(environment):
    """What an environment wraps, the innermost first, and itself."""
    layers = [environment]
    while hasattr(layers[-1], "env") and len(layers) < 100:
        layers.append(layers[-1].env)
    return layers[::-1]


class Environment:
    """What make(), of a module, returns, under a name. own is a version beside those of packages; an environment
    that is reusable is not made again for another episode with a seed, and no walk is taken in it."""

    def __init__(self, name, make, module, options, own="", reusable=False):
        self.options, self.reusable = options, reusable
        self.make, self.is_used = lambda: as_gymnasium(make(), make), False
        self.environment = self.make()
        self.declared = {key: text for key, text in self.options.items() if key not in ("flatten", "reward")}
        if "actions" in options:
            self.declared["actions"] = short(options["actions"], LONGEST_VALUE)
        outer = given(self.environment)
        inner = getattr(outer, "unwrapped", outer)
        self.actions, names = actions_of(self.environment.action_space, options.get("actions"), action_names(inner))
        if reusable and (self.options.get("range") in ("walk", "walk-all") or "drop" in self.options):
            raise Refused("a walk is taken in an environment of its own: give a function that makes one")
        self.see(name)
        self.encode, self.pack = self.view.encode, self.view.pack
        classes = [type(layer) for layer in layers_of(outer)]
        modules = [module, *(each.__module__ for each in classes)]
        self.declaration = {
            "protocol": PROTOCOL,
            "name": name,
            "version": short(self.version_text(package_versions(*modules), own), LONGEST_VERSION),
            "actions": names,
            "observes": self.view.observes,
            "parameters": self.declared,
        }
        self.files = files_of(*classes)
        if "reward" in self.options:
            self.declaration["reward"] = True

    def version_text(self, packages, own):
        """The adapter's version, Gymnasium's if it is in use, those of packages, and own."""
        gymnasium = None if isinstance(self.environment.action_space, Space) else sys.modules.get("gymnasium")
        based = ", " + package_text("gymnasium", gymnasium.__version__) if gymnasium else ""
        return "adapter %d%s%s" % (ADAPTER, based, packages + (", " + own if own else ""))

    def code(self):
        """What it tells of its code, with the data that this read."""
        told = code_of(sys.modules)
        return {**told, "packages": {**told["packages"], **data_read()}}

    def see(self, name):
        """Decides what an agent sees, by a walk if the options ask for one. What the walk found is
        declared: a run that is resumed must find the same."""
        space, options = self.environment.observation_space, dict(self.options)
        by_range = options.get("range") in ("walk", "walk-all")
        if not by_range and "drop" not in options:
            if "walk" in options or "walk_seed" in options:
                raise Refused("a walk is for range=walk and for drop")
            self.view = view(space, options)
            return
        walk, kept = Walk(self.make, self.actions, options), None
        self.declared.update(walk=str(walk.steps), walk_seed=str(walk.seed))
        found = found_before(name, self.declared)
        if by_range:
            _, boxes, numbers = numeric(space, options)
            if not boxes:
                raise Refused("there are no numbers whose range could be found")
            options["range"] = found_ranges(found) or walk.ranges(numbers, options["range"] == "walk-all")
            self.declared["range"] = short("/".join("%r:%r" % pair for pair in options["range"]), LONGEST_VALUE)
        if "drop" in options:
            kept = found_places(found, space, options) or walk.varying(space, options)
        self.view = view(space, options, kept)

    def reset(self, seed):
        if seed is None:
            return self.view(first_of(self.environment.reset()))
        if self.is_used and not self.reusable:  # not every reset clears all state: MinAtar keeps its last action
            self.environment.close()
            self.environment = self.make()
        self.is_used = True
        return self.view(start(self.environment, seed))

    def step(self, action):
        answer = self.environment.step(self.actions[action])
        if len(answer) != 5:
            answer = step_of(answer)
        return self.view(answer[0]), answer[1], answer[2], answer[3]


def action_names(environment):
    """The names that an environment has for its actions."""
    meanings, actions = getattr(environment, "get_action_meanings", None), getattr(environment, "actions", None)
    names = []
    if callable(meanings):
        names = [str(name).lower() for name in meanings()]
    elif hasattr(actions, "__members__"):  # an Enum, as MiniGrid has it
        names = [name.lower() for name in sorted(actions.__members__, key=lambda name: actions[name].value)]
    return names


def main():
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(note_data)
    serve(lambda: named(sys.argv[1:]))


if __name__ == "__main__":
    main()
