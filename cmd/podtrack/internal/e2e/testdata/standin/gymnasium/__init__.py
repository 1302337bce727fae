"""A stand-in for gymnasium, for tests."""

from gymnasium import core, envs, error, spaces, wrappers
from gymnasium.core import Env, Wrapper
from gymnasium.envs.registration import make, register, register_envs, registry, spec

__version__ = "1.4.0.standin"
