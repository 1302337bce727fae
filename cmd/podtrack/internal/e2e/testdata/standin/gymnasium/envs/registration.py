import contextlib
import copy
import importlib
import re
import warnings

from gymnasium import error, wrappers

registry = {}


class EnvSpec:
    def __init__(self, id, entry_point, max_episode_steps=None, kwargs=None):
        self.id, self.entry_point, self.max_episode_steps = id, entry_point, max_episode_steps
        self.kwargs, self.order_enforce, self.disable_env_checker = kwargs or {}, True, False


@contextlib.contextmanager
def namespace(ns):
    yield


def register(id, entry_point=None, reward_threshold=None, max_episode_steps=None, kwargs=None):
    if id in registry:
        warnings.warn("WARN: Overriding environment %s already in registry." % id)
    registry[id] = EnvSpec(id, entry_point, max_episode_steps, kwargs)


def register_envs(module):
    pass


def check_exists(id):
    match = re.fullmatch(r"(?:([\w.-]+)/)?([\w.:-]+?)(?:-v(\d+))?", id)
    if not match:
        raise error.Error("Malformed environment ID: %s" % id)
    ns, name, version = match.groups()
    known = [re.fullmatch(r"(?:([\w.-]+)/)?(.+?)-v(\d+)", each).groups() for each in registry]
    if ns is not None and ns not in {each[0] for each in known}:
        raise error.NamespaceNotFound("Namespace %s not found. Have you installed the proper package?" % ns)
    versions = [int(v) for n, each, v in known if (n, each) == (ns, name)]
    if not versions:
        raise error.NameNotFound("Environment `%s` doesn't exist." % name)
    if version is not None and int(version) not in versions:
        kind = error.DeprecatedEnv if int(version) < max(versions) else error.VersionNotFound
        raise kind("Environment version `v%s` for environment `%s` doesn't exist." % (version, name))


def spec(id):
    if id not in registry:
        check_exists(id)
        raise error.Error("No registered env with id: %s" % id)
    return registry[id]


def load(entry_point):
    if callable(entry_point):
        return entry_point
    module, name = entry_point.split(":")
    return getattr(importlib.import_module(module), name)


def make(id, max_episode_steps: "int | None" = None, disable_env_checker: "bool | None" = None, **kwargs):
    module, _, name = id.rpartition(":")
    if module:
        importlib.import_module(module)
    found = spec(name)
    given = {**copy.deepcopy(found.kwargs), **kwargs}
    env = load(found.entry_point)(**given)
    limit = max_episode_steps or found.max_episode_steps
    env.unwrapped.spec = EnvSpec(found.id, found.entry_point, limit, given)
    if not disable_env_checker:
        env = wrappers.PassiveEnvChecker(env)
    env = wrappers.OrderEnforcing(env)
    return env if limit is None or limit == -1 else wrappers.TimeLimit(env, limit)
