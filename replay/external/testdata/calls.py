"""Calls environments as the adapter does, and prints what each call gives, a line each:

    python3 calls.py gymnasium|minigrid|minatar|bsuite|pettingzoo|pycolab > transcript

Values are printed where they do not depend on random numbers, and else what kind of value it
is. A stand-in is right as far as its transcript is the real package's.
"""

import contextlib
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


def specified(spec):
    """A spec of dm_env."""
    return " ".join("%s=%s" % (name, getattr(spec, name)) for name in ("shape", "dtype", "minimum", "maximum",
                    "num_values", "name") if hasattr(spec, name))


def time_step(step):
    """What reset and step of dm_env return."""
    return "%d %s %s %s %s" % (step.step_type, step.last(), step.reward, step.discount, described(step.observation))


def bsuite_calls():
    bsuite = importlib.import_module("bsuite")
    say("its version", type(bsuite.__version__).__name__)
    say("experiments", [name for name in bsuite.sweep.SETTINGS if name.startswith("catch/")])
    say("an unknown one", tried(lambda: bsuite.load_from_id("catch/99")))
    with contextlib.redirect_stdout(sys.stderr):  # it says so
        environment = bsuite.load_from_id("catch/0")
    say("observes", specified(environment.observation_spec()), "actions", specified(environment.action_spec()))
    say("spaces", hasattr(environment, "observation_space"), "module", type(environment).__module__.split(".")[0])
    say("parameters of reset", tried(lambda: environment.reset(seed=1)))
    say("step before reset", time_step(environment.step(0)))
    environment._rng.seed(3)
    say("reset", time_step(environment.reset()))
    first = exact(environment.reset().observation)
    for i in range(12):
        step = environment.step(i % 3)
        say(i, time_step(step), exact(step.observation.sum()))
    environment._rng.seed(3)
    environment.reset()
    say("seed repeats", exact(environment.reset().observation) == first)
    say("close", tried(environment.close))


def pettingzoo_calls():
    module = importlib.import_module("pettingzoo.sisl.pursuit_v5")
    say("its version", type(importlib.import_module("pettingzoo").__version__).__name__)
    say("agents", len(module.parallel_env().possible_agents), module.parallel_env(n_pursuers=1).possible_agents)
    together, in_turn = module.parallel_env(n_pursuers=1, max_cycles=3), module.env(n_pursuers=1, max_cycles=3)
    for environment in (together, in_turn):
        say("observes", space_of(environment.observation_space("pursuer_0")),
            "actions", space_of(environment.action_space("pursuer_0")))
        say(str(environment), str(environment.unwrapped), hasattr(environment, "agent_iter"))
        say("reset", tried(lambda: environment.reset(seed=2**32 - 1)), tried(environment.reset))
    say("together", exact(together.reset(seed=7)[0]) == exact(together.reset(seed=7)[0]))
    in_turn.reset(seed=7)
    say("in turn", described(in_turn.observe("pursuer_0")))
    for i in range(3):
        _, reward, *ends, info = together.step({"pursuer_0": i})
        say(i, {key: type(float(value)).__name__ for key, value in reward.items()}, *map(exact, ends), exact(info))
        in_turn.step(i)
        observation, reward, *ends = in_turn.last()
        say(i, described(observation), type(float(reward)).__name__, *map(exact, ends))
    say("agents left", together.agents)


def pycolab_calls():
    module = importlib.import_module("pycolab.examples.classics.chain_walk")

    def seen(answer):
        observation, reward, discount = answer
        layers = {key: (layer.shape, str(layer.dtype), layer.nonzero()[1].tolist()[:3])
                  for key, layer in sorted(observation.layers.items())}
        return "%s %s %s %s" % (described(observation.board), layers, reward, discount)

    for actions in ([0, 0], [1] * 19, [2, 0, 1, None, 0, 0]):
        engine = module.make_game()
        say("begins", seen(engine.its_showtime()), engine.game_over, tried(engine.its_showtime))
        for action in actions:
            say(action, seen(engine.play(action)), engine.game_over)
        say("after its end", tried(lambda: engine.play(0)))


if __name__ == "__main__":
    globals()[sys.argv[1] + "_calls"]()
