"""Environments of dm_env, of PettingZoo with one agent and of pycolab, as those of Gymnasium.

as_gymnasium(environment, make) returns an object with the spaces, reset and step of Gymnasium. None of
these packages is imported: an environment is told by its methods.
"""

import math
import random
import sys
import types

from .loop import Refused
from .spaces import MOST_COUNTED


class Space:
    """A space of Gymnasium, as far as spaces.py and actions.py look at it. They tell spaces by their classes' names."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Discrete(Space):
    shape = ()


class Box(Space):
    pass


class Dict(Space):
    pass


class Tuple(Space):
    pass


class Text(Space):
    pass


class Undeclared(Space):
    """Actions of which nothing is known."""


def as_gymnasium(environment, make):
    """The environment itself if it has spaces; make makes another one."""
    if hasattr(environment, "its_showtime"):
        return Game(environment, make)
    if hasattr(environment, "possible_agents"):
        return OneAgent(environment)
    if hasattr(environment, "observation_spec") and not hasattr(environment, "observation_space"):
        return TimeSteps(environment)
    return environment


def given(environment):
    """The environment that as_gymnasium was given."""
    return environment.env if isinstance(environment, Adapted) else environment


class Adapted:
    """Gives env the interface of Gymnasium."""

    def __init__(self, env):
        self.env = env

    def close(self):
        getattr(self.env, "close", lambda: None)()


class TimeSteps(Adapted):
    """An environment of dm_env. Its interface has no seed."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space, self.action_space = space_of(env.observation_spec()), space_of(env.action_spec())

    def reset(self, seed=None):
        if seed is not None:
            seed_all(self.env, seed)
        return self.env.reset().observation, {}

    def step(self, action):
        step = self.env.step(action)
        return (step.observation, *earned_and_ended(step.reward, step.discount, step.last()))


def earned_and_ended(reward, discount, is_last):
    """The end of Gymnasium's answer to a step: an episode that ends with a discount of 0 has terminated."""
    return 0.0 if reward is None else reward, is_last and discount == 0, is_last and discount != 0, {}


def space_of(spec):
    """The space of a spec of dm_env, or of nested ones."""
    if hasattr(spec, "items"):
        return Dict(spaces={key: space_of(part) for key, part in spec.items()})
    if isinstance(spec, (list, tuple)):
        return Tuple(spaces=[space_of(part) for part in spec])
    if type(spec).__name__ == "StringArray":
        return Text()
    low, high, numpy = getattr(spec, "minimum", -math.inf), getattr(spec, "maximum", math.inf), sys.modules["numpy"]
    if spec.shape == () and spec.dtype.kind in "iu" and float(high) - float(low) < MOST_COUNTED:
        return Discrete(n=int(high) - int(low) + 1, start=int(low))
    return Box(low=numpy.broadcast_to(low, spec.shape), high=numpy.broadcast_to(high, spec.shape), shape=spec.shape,
               dtype=spec.dtype)


def seed_all(environment, seed):
    """Seeds the generators of random numbers that an environment holds, or what it wraps."""
    found, seen = [environment], set()
    while found:
        value = found.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, random.Random) or type(value).__name__ == "RandomState":
            value.seed(seed)
        elif type(value).__name__ == "Generator" and hasattr(value, "bit_generator"):
            value.bit_generator.state = type(value.bit_generator)(seed).state
        elif not isinstance(value, (type, types.FunctionType, types.ModuleType)):
            found += getattr(value, "__dict__", {}).values()


class OneAgent(Adapted):
    """An environment of PettingZoo, whose agents step in turn or together, with one agent."""

    def __init__(self, env):
        super().__init__(env)
        if len(env.possible_agents) != 1:
            raise Refused("it has %d agents, and podtrack acts for one" % len(env.possible_agents),
                          "an argument such as n_pursuers=1 leaves one; or wrap=MODULE:FUNCTION lets the others act by "
                          "policies of their own",
                          "make it with one, such as n_pursuers=1, or wrap it so that the others act by policies of "
                          "their own")
        self.agent, = env.possible_agents
        self.in_turn = hasattr(env, "agent_iter")
        self.observation_space, self.action_space = env.observation_space(self.agent), env.action_space(self.agent)

    def reset(self, seed=None):
        answer = self.env.reset(seed=seed)
        return self.env.observe(self.agent) if self.in_turn else answer[0][self.agent], {}

    def step(self, action):
        if self.in_turn:
            self.env.step(action)
            return self.env.last()
        return tuple(part[self.agent] for part in self.env.step({self.agent: action}))


class Game(Adapted):
    """A game of pycolab. An engine plays one episode, so that each has one of its own; an agent sees where each
    character is, but blanks, which are everywhere else."""

    def __init__(self, env, make):
        super().__init__(env)
        self.make, self.action_space = make, Undeclared()
        first = self.reset()[0]
        self.observation_space = Dict(spaces={
            character: Box(low=False, high=True, shape=first[character].shape, dtype=first[character].dtype)
            for character in sorted(first) if character != " "})

    def reset(self, seed=None):
        before, self.env = self.env, self.make()
        if self.env is before:
            raise Refused("an engine of pycolab plays one episode", "", "give a function that makes one")
        return self.env.its_showtime()[0].layers, {}

    def step(self, action):
        observation, reward, discount = self.env.play(action)
        return (observation.layers, *earned_and_ended(reward, discount, self.env.game_over))
