"""The server's side of podtrack's protocol (replay/external/PROTOCOL.md), for any environment
in Python:

    serve(make)

reads requests from stdin and writes answers to stdout until stdin ends. make() is called at
the first request and returns an object with

    declaration           the answer to hello, without its id
    reset(seed)           begins an episode, with a seed or None, and returns an observation
    step(action)          returns (observation, reward, terminated, truncated)
    encode(observation)   an observation as JSON has it
    pack(observation)     its bytes: u32, bits (lowest first) or f64 (never -0), little-endian;
                          without it every observation is sent as JSON

An observation may be of any type; only encode and pack look at it. Everything else that is
printed goes to stderr.
"""

import base64
import json
import math
import os
import sys
import traceback
from array import array
from time import perf_counter

STEPS, FRAMES, POLICIES = "steps", "frames", "policies"  # extensions; each needs those before it
NO_OPTION = 255
LOW = (1 << 64) - 1


class Refused(Exception):
    """What cannot be done, in words for who asked for it."""


def line_of(answer):
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def little(numbers):
    """An array as it is in memory of the other order of bytes, where this machine has that."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


class Taken:
    """The steps of an answer, as they are taken."""

    def __init__(self, session, seconds):
        self.session, self.until = session, perf_counter() + seconds
        self.ends, self.actions, self.rewards, self.keys = bytearray(), bytearray(), [], []

    def answer(self, decided):
        """The members of the answer, and its payload; None where there is none."""
        session, rewards = self.session, [float(r) for r in self.rewards]
        if not all(map(math.isfinite, rewards)):
            raise Refused("a reward is not finite: %r" % [r for r in rewards if not math.isfinite(r)][0])
        if not session.frames:
            answer = {"observations": self.keys, "ends": list(self.ends)}
            return {**answer, "rewards": rewards} if session.rewarded else answer, None
        payload = [self.ends, self.actions if decided else b"", little(array("d", rewards)).tobytes()]
        if session.discrete:
            payload.append(little(array("I", self.keys)).tobytes())
        else:
            payload += self.keys
        payload = b"".join(payload)
        return {"steps": len(self.ends), "bytes": len(payload)}, payload


def code_of(modules):
    """The versions of the packages that are imported, and the files of modules that belong to none."""
    from importlib import metadata
    from sysconfig import get_paths

    standard = tuple(get_paths()[name] + os.sep for name in ("stdlib", "platstdlib"))
    packages, files, unknown = {}, [], set()
    for name, module in sorted(modules.items()):
        path, top = getattr(module, "__file__", None), name.partition(".")[0]
        if not isinstance(path, str) or top in packages:
            continue
        path = os.path.abspath(path)
        installed = os.sep + "site-packages" + os.sep in path or os.sep + "dist-packages" + os.sep in path
        if path.startswith(standard) and not installed:
            continue
        if top not in unknown:
            try:
                packages[top] = metadata.version(top)
                continue
            except Exception:  # of no distribution, or of one by another name
                unknown.add(top)
        version = getattr(module, "__version__", None)
        if not installed and os.path.isfile(path):
            files.append(path)
        elif top == name and isinstance(version, str):
            packages[top] = version
    return {"packages": packages, "files": files}


class Session:
    """An environment and what the client told of it."""

    def __init__(self, environment):
        self.environment, self.declaration = environment, environment.declaration
        self.rewarded = bool(self.declaration.get("reward"))
        self.discrete = self.declaration["observes"]["kind"] == "discrete"
        self.frames, self.key = False, environment.encode
        self.current = None  # key of the last observation
        self.rows, self.limits, self.available = {}, [], {}

    def perform(self, request):
        """The members of the answer to a request, and its payload."""
        do = request["do"]
        if do == "step":
            return self.step(request["action"]), None
        if do == "steps":
            return self.steps(request)
        if do == "walk":
            return self.walk(request)
        if do in ("hello", "reset", "options", "policies"):
            return getattr(self, do)(request), None
        raise Refused("there is no request %r" % do)

    def hello(self, request):
        packs = hasattr(self.environment, "pack")
        known = (STEPS, FRAMES, POLICIES) if packs else (STEPS,)
        used = [name for name in known if name in request.get("extensions", [])]
        self.frames = FRAMES in used
        if self.frames and not self.discrete:
            self.key = self.environment.pack
        answer = {**self.declaration, "extensions": used} if used else dict(self.declaration)
        if request.get("code"):
            answer["code"] = code_of(sys.modules)
        return answer

    def reset(self, request):
        observation = self.environment.reset(request.get("seed"))
        self.current = self.key(observation)
        return {"observation": self.environment.encode(observation)}

    def step(self, action):
        observation, reward, terminated, truncated = self.environment.step(action)
        self.current = self.key(observation)
        answer = {"observation": self.environment.encode(observation),
                  "terminated": bool(terminated), "truncated": bool(truncated)}
        if self.rewarded:
            answer["reward"] = float(reward)
            if not math.isfinite(answer["reward"]):
                raise Refused("the reward %r is not finite" % reward)
        return answer

    def steps(self, request):
        """Takes given actions, until the time is up."""
        taken = Taken(self, request["seconds"])
        step, key, reset, until = self.environment.step, self.key, self.environment.reset, taken.until
        end, see, note = taken.ends.append, taken.keys.append, taken.rewards.append
        rewarded = self.rewarded
        for action in request["actions"]:
            observation, reward, terminated, truncated = step(action)
            see(key(observation))
            if rewarded:
                note(reward)
            if terminated or truncated:
                end(1 if terminated else 2)
                see(key(reset(None)))
            else:
                end(0)
            if perf_counter() > until:
                break
        self.current = taken.keys[-1]
        return taken.answer(False)

    def options(self, request):
        self.limits, self.rows, self.available = request["limits"], {}, {}
        return {}

    def policies(self, request):
        """Keeps the actions of all options in some observations."""
        observations, actions = (base64.b64decode(request[name]) for name in ("observations", "policies"))
        n = len(self.limits)
        count = len(actions) // n
        size = len(observations) // count
        if self.discrete:
            keys = little(array("I", observations))
        else:
            keys = [observations[i:i + size] for i in range(0, len(observations), size)]
        for i, key in enumerate(keys):
            self.rows[key] = actions[i * n:(i + 1) * n]
        return {}

    def available_in(self, row):
        """The options that can start where the row has an action for them."""
        options = self.available.get(row)
        if options is None:
            options = self.available[row] = array("H", [i for i, action in enumerate(row) if action != NO_OPTION])
        return options

    def walk(self, request):
        """Takes the steps that the agent would, until one does not follow from the request."""
        if "observations" in request:
            self.policies(request)
        taken = Taken(self, request["seconds"])
        step, key, reset, until = self.environment.step, self.key, self.environment.reset, taken.until
        end, act, see, note = taken.ends.append, taken.actions.append, taken.keys.append, taken.rewards.append
        find, available_in, limits, rewarded = self.rows.get, self.available_in, self.limits, self.rewarded
        stop, chance, arity = request["stop"], request.get("chance", 0), len(self.declaration["actions"])
        executing, executed = request["executing"], request["executed"]
        draws, at = little(array("Q", base64.b64decode(request["draws"]))), 0
        last = len(draws) - (2 if chance else 1)
        row = find(self.current)
        for _ in range(request["steps"]):
            if row is None:
                if stop:
                    break
                row = b""
            if executing < 0:
                if at > last:
                    break
                options = available_in(row)
                first, n = 0, arity + len(options)
                if chance:
                    n = arity
                    if options:
                        if draws[at] >> 11 < chance:
                            first, n = arity, len(options)
                        at += 1
                product = draws[at] * n
                at += 1
                if product & LOW < n:
                    break  # it may have to be drawn again
                action = first + (product >> 64)
                if action >= arity:
                    executing, executed = options[action - arity], 0
                    action = row[executing]
            elif executing >= len(row):
                break
            else:
                action = row[executing]
            observation, reward, terminated, truncated = step(action)
            act(action)
            current = key(observation)
            see(current)
            if rewarded:
                note(reward)
            if terminated or truncated:
                end(1 if terminated else 2)
                current = key(reset(None))
                see(current)
                executing = -1
            else:
                end(0)
            self.current = current
            row = find(current)
            if executing >= 0:
                executed += 1
                if executed == limits[executing] or (
                        not stop if row is None else row[executing] == NO_OPTION):
                    executing = -1
            if perf_counter() > until:
                break
        return taken.answer(True)


def answers(requests, make, report=traceback.print_exc):
    """The bytes that answer each request, the environment being made for the first one. report is
    called for each exception that an environment raises, while it is handled."""
    session = None
    for text in requests:
        request = json.loads(text)
        answer, payload = {"id": request["id"]}, None
        try:
            if session is None:
                session = Session(make())
            members, payload = session.perform(request)
            line = line_of({**answer, **members})
        except Refused as refused:
            line, payload = line_of({**answer, "error": str(refused)}), None
        except Exception as error:
            report()
            line, payload = line_of({**answer, "error": "%s: %s" % (type(error).__name__, error)}), None
        yield line if payload is None else line + payload + b"\n"


def serve(make):
    out = os.fdopen(os.dup(1), "wb")  # answers alone; whatever else is printed goes to stderr
    os.dup2(2, 1)
    for text in answers(sys.stdin.buffer, make):
        out.write(text)
        out.flush()
