"""Calls environments as the adapter does, and prints what each call gives, a line each:

    python3 calls.py gymnasium|minigrid|minatar > transcript

Values are printed where they do not depend on random numbers, and else what kind of value it
is. A stand-in is right as far as its transcript is the real package's.
"""

import hashlib
import importlib
import sys
from importlib import metadata

import gymnasium
from gymnasium.envs import registration

def described(value):
    """What kind of value it is."""
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (key, described(value[key])) for key in sorted(value))
    if isinstance(value, tuple):
        return "(%s)" % ", ".join(map(described, value))
    if isinstance(value, str):
        return "text %r" % value
    if hasattr(value, "ravel") and getattr(value, "shape", ()) != ():
        return "array %s %s" % (tuple(value.shape), value.dtype)
    if hasattr(value, "item"):
        value = value.item()
    return type(value).__name__


def exact(value):
    """The value itself, as a list where it is an array, by its hash if that is long."""
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (key, exact(value[key])) for key in sorted(value))
    if hasattr(value, "tolist"):
        value = value.tolist()
    text = repr(value)
    return text if len(text) < 100 else "sha256:" + hashlib.sha256(text.encode()).hexdigest()[:16]


def numbers(value):
    return value.ravel().tolist() if hasattr(value, "ravel") else value


def space_of(space):
    kind = type(space).__name__
    if kind == "Discrete":
        return "Discrete(%d) from %d" % (space.n, space.start)
    if kind == "Box":
        bounds = sorted(set("%.6g..%.6g" % pair for pair in zip(numbers(space.low), numbers(space.high))))
        return "Box%s %s %s" % (tuple(space.shape), space.dtype, " ".join(bounds))
    if kind == "Dict":
        return "Dict(%s)" % ", ".join("%s: %s" % (key, space_of(part)) for key, part in sorted(space.spaces.items()))
    if kind == "Tuple":
        return "Tuple(%s)" % ", ".join(map(space_of, space.spaces))
    dtype = space.dtype
    return "%s of %s" % (kind, "text" if dtype is str or getattr(dtype, "kind", "") == "U" else dtype)


def tried(call):
    """What a call gives, or the type of its error."""
    try:
        return described(call())
    except Exception as error:
        return "raises %s" % type(error).__name__


def say(*words):
    print(*words, flush=True)


def layers(environment):
    names = []
    while environment is not environment.unwrapped:
        names.append(type(environment).__name__)
        environment = environment.env
    return " ".join(names)


def registered(name):
    spec = gymnasium.spec(name)
    say(name, "spec", spec.id, spec.max_episode_steps, sorted(spec.kwargs.items()), spec.order_enforce,
        spec.disable_env_checker, type(spec.entry_point).__name__)


def interface(name, **given):
    """Spaces, seeds, resets and a step of an environment."""
    say(name, "layers:", layers(gymnasium.make(name, **given)))
    environment = gymnasium.make(name, disable_env_checker=True, **given)
    say(name, "layers without a check:", layers(environment))
    say(name, "module", type(environment.unwrapped).__module__.split(".")[0], environment.unwrapped.spec.id)
    say(name, "observes", space_of(environment.observation_space), "actions", space_of(environment.action_space))
    for attribute in ("get_action_meanings", "actions"):
        say(name, attribute, hasattr(environment.unwrapped, attribute))
    say(name, "step before reset", tried(lambda: environment.step(0)))
    for seed in (0, 1, 2**32 - 1, 2**32, 2**53 - 1, -1, 1.5, "a"):
        say(name, "reset seed", repr(seed), tried(lambda: environment.reset(seed=seed)))
    first, again = environment.reset(seed=7), environment.reset(seed=7)
    say(name, "seed repeats", exact(first[0]) == exact(again[0]), "info", exact(first[1]))
    say(name, "in its space", environment.observation_space.contains(first[0]))
    say(name, "reset without a seed", tried(environment.reset))
    say(name, "step", tried(lambda: environment.step(0)))
    environment.reset(seed=3)
    say(name, "step of no action", tried(lambda: environment.step(environment.action_space.n)))
    environment.reset(seed=3)
    observation = environment.step(environment.action_space.n - 1)[0]
    say(name, "in its space after a step", environment.observation_space.contains(observation))
    say(name, "keyword", tried(lambda: gymnasium.make(name, no_such_keyword=1, **given)))


def episode(name, actions, values=True, **given):
    """An episode of repeated actions, with its values if they do not depend on random numbers."""
    environment = gymnasium.make(name, disable_env_checker=True, **given)
    observation = environment.reset(seed=5)[0]
    say(name, "begins at", exact(observation) if values else described(observation))
    for i in range(1000):
        observation, reward, terminated, truncated, info = environment.step(actions[i % len(actions)])
        if values:
            say(name, i, exact(observation), "%.9g" % reward, bool(terminated), bool(truncated), sorted(info))
        if terminated or truncated:
            break
    say(name, "ends after", i + 1, "terminated", bool(terminated), "truncated", bool(truncated))
    say(name, "reset after it", tried(environment.reset))


def gymnasium_calls():
    for name in ("Nothing-v0", "FrozenLake-v9", "FrozenLake-v0", "FrozenLake", "Nowhere/Thing-v0", "no name", "a:b:c"):
        say("spec", name, tried(lambda: gymnasium.spec(name)))
    say("make of a module that is not there", tried(lambda: gymnasium.make("nowhere:Thing-v0")))
    for name in ("FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "Blackjack-v1", "CartPole-v1", "MountainCar-v0"):
        registered(name)
        interface(name)
    episode("FrozenLake-v1", [2, 2, 1, 1, 1, 2], is_slippery=False)
    episode("FrozenLake-v1", [2, 1], is_slippery=False)
    episode("FrozenLake-v1", [0], is_slippery=False)
    episode("FrozenLake-v1", [3], is_slippery=False, max_episode_steps=7)
    episode("FrozenLake-v1", [2, 1, 2], is_slippery=False, map_name="8x8", reward_schedule=(5, -2, -1))
    episode("FrozenLake-v1", [1, 2, 2, 2, 2], is_slippery=False, desc=["FFFS", "SFFG"][1:] + ["FHFF"])
    episode("CliffWalking-v1", [1, 3, 2, 0] + [1] * 11 + [2], max_episode_steps=50)
    episode("MountainCar-v0", [1], values=False)
    episode("MountainCar-v0", [1], values=False, max_episode_steps=3)
    episode("CartPole-v1", [0, 1], values=False, max_episode_steps=10)


def minigrid_calls():
    say("registered before its import", "MiniGrid-Empty-5x5-v0" in registration.registry)
    package = importlib.import_module("minigrid")
    wrappers = importlib.import_module("minigrid.wrappers")
    say("registered", "MiniGrid-Empty-5x5-v0" in registration.registry, hasattr(package, "register_envs"))
    say("its version", hasattr(package, "__version__"))
    interface("MiniGrid-Empty-5x5-v0")
    environment = gymnasium.make("MiniGrid-Empty-5x5-v0")
    say("actions", [(a.name, a.value) for a in environment.unwrapped.actions])
    for name, actions in (("MiniGrid-Empty-5x5-v0", [2, 2, 1, 2, 2]), ("MiniGrid-Empty-5x5-v0", [0, 2, 3, 4, 5, 6, 2, 1]),
                          ("MiniGrid-Empty-8x8-v0", [2, 1, 2, 0])):
        episode(name, actions)
    episode("MiniGrid-Empty-5x5-v0", [0], max_steps=5)
    image = wrappers.ImgObsWrapper(gymnasium.make("MiniGrid-Empty-5x5-v0"))
    say("ImgObsWrapper", space_of(image.observation_space), described(image.reset(seed=1)[0]))
    view = wrappers.ViewSizeWrapper(gymnasium.make("MiniGrid-Empty-5x5-v0"), agent_view_size=3)
    say("ViewSizeWrapper", space_of(view.observation_space), described(view.reset(seed=1)[0]))


def minatar_calls():
    say("registered before", "MinAtar/Breakout-v1" in registration.registry)
    importlib.import_module("minatar")
    say("registered by the import", "MinAtar/Breakout-v1" in registration.registry)
    module = importlib.import_module("minatar.gym")
    say("registered by the module", "MinAtar/Breakout-v1" in registration.registry)
    module.register_envs()
    say("registered by the function", "MinAtar/Breakout-v1" in registration.registry)
    for name in ("MinAtar/Breakout-v0", "MinAtar/Breakout-v1"):
        registered(name)
        interface(name)
    environment = gymnasium.make("MinAtar/Breakout-v0", sticky_action_prob=0.0)
    environment.reset(seed=1)
    environment.step(3)
    environment.reset(seed=1)
    say("the last action after a reset", environment.unwrapped.game.last_action)
    say("its version", metadata.version("minatar"))
    points = [(p.name, p.value) for p in metadata.entry_points(group="gymnasium.envs") if "inatar" in p.value]
    say("its plugin", sorted(set(points)))


if __name__ == "__main__":
    {"gymnasium": gymnasium_calls, "minigrid": minigrid_calls, "minatar": minatar_calls}[sys.argv[1]]()
