"""The server's side of podtrack's protocol (replay/external/PROTOCOL.md), for any environment
in Python:

    serve(make)

reads requests from stdin and writes answers to stdout until stdin ends. make() is called at
the first request and returns an object with

    declaration           the answer to hello, without its id
    reset(seed)           begins an episode, with a seed or None, and returns an observation
    step(action)          returns (observation, reward, terminated, truncated)
    encode(observation)   an observation as JSON has it
    pack(observation)     its bytes: u32, bits (lowest first) or f64, little-endian

An observation may be of any type; only encode and pack look at it. Everything else that is
printed goes to stderr.
"""

import json
import math
import os
import sys
import traceback


class Refused(Exception):
    """What cannot be done, in words for who asked for it."""


def line_of(answer):
    return json.dumps(answer, allow_nan=False, separators=(",", ":")) + "\n"


def reset(environment, seed):
    return {"observation": environment.encode(environment.reset(seed))}


def step(environment, action):
    observation, reward, terminated, truncated = environment.step(action)
    answer = {"observation": environment.encode(observation),
              "terminated": bool(terminated), "truncated": bool(truncated)}
    if environment.declaration.get("reward"):
        answer["reward"] = float(reward)
        if not math.isfinite(answer["reward"]):
            raise Refused("the reward %r is not finite" % reward)
    return answer


def perform(environment, request):
    """The members of the answer to a request."""
    do = request["do"]
    if do == "hello":
        return environment.declaration
    if do == "reset":
        return reset(environment, request.get("seed"))
    if do == "step":
        return step(environment, request["action"])
    raise Refused("there is no request %r" % do)


def answers(requests, make):
    """The line that answers each request, the environment being made for the first one."""
    environment = None
    for text in requests:
        request = json.loads(text)
        answer = {"id": request["id"]}
        try:
            if environment is None:
                environment = make()
            line = line_of({**answer, **perform(environment, request)})
        except Refused as refused:
            line = line_of({**answer, "error": str(refused)})
        except Exception as error:
            traceback.print_exc()
            line = line_of({**answer, "error": "%s: %s" % (type(error).__name__, error)})
        yield line


def serve(make):
    out = os.fdopen(os.dup(1), "w")  # answers alone; whatever else is printed goes to stderr
    os.dup2(2, 1)
    for line in answers(sys.stdin, make):
        out.write(line)
        out.flush()
