import collections
import enum

from dm_env import specs


class StepType(enum.IntEnum):
    FIRST, MID, LAST = range(3)


class TimeStep(collections.namedtuple("TimeStep", "step_type reward discount observation")):
    def first(self):
        return self.step_type == StepType.FIRST

    def last(self):
        return self.step_type == StepType.LAST


class Environment:
    def close(self):
        pass


def restart(observation):
    return TimeStep(StepType.FIRST, None, None, observation)


def transition(reward, observation, discount=1.0):
    return TimeStep(StepType.MID, reward, discount, observation)


def termination(reward, observation):
    return TimeStep(StepType.LAST, reward, 0.0, observation)


def truncation(reward, observation, discount=1.0):
    return TimeStep(StepType.LAST, reward, discount, observation)
