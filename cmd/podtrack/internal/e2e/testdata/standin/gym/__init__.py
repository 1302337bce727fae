"""A stand-in for Gym 0.21, which came before Gymnasium."""

import importlib

__version__ = "0.21.0.standin"
registry = {}


class EnvSpec:
    def __init__(self, id, entry_point, kwargs):
        self.id, self.entry_point, self._kwargs = id, entry_point, kwargs


def register(id, entry_point, **kwargs):
    registry[id] = EnvSpec(id, entry_point, kwargs)


def spec(id):
    return registry[id]


def make(id, **kwargs):
    module, name = spec(id).entry_point.split(":")
    environment = getattr(importlib.import_module(module), name)(**{**spec(id)._kwargs, **kwargs})
    environment.spec = spec(id)
    return environment
