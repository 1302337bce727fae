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
                          without it every observation is sent as JSON. pack_reals(n) is one for
                          lists of n numbers

An observation may be of any type; only encode and pack look at it. encode of real features is
a list of numbers. Everything else that is printed goes to stderr.
"""

import base64
import json
import math
import os
import struct
import sys
import traceback
from array import array
from time import perf_counter

STEPS, FRAMES, POLICIES, WEIGHTS, PARTS = "steps", "frames", "policies", "weights", "parts"  # extensions
PART_SECONDS = 0.002  # after which the steps so far are sent
NO_OPTION = 255
LOW = (1 << 64) - 1
MOST_KNOWN = 1 << 9  # observations, in which options are computed from weights once
MINUS_ZERO = struct.pack("d", -0.0)
ROUNDS_ONCE = 1e16 + 2.9999 == 1e16 + 2  # not so where sums are rounded to 64 bits and again to 53, on old processors


class Refused(Exception):
    """What cannot be done, in words for who asked for it."""


def line_of(answer):
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def little(numbers):
    """An array as it is in memory of the other order of bytes, where this machine has that."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def pack_numbers(numbers):
    """Numbers as f64, 0 in place of -0."""
    packed = array("d", numbers)
    if MINUS_ZERO in packed.tobytes():  # or at the end of one number and the begin of the next
        packed = array("d", [x + 0.0 for x in packed])
    return little(packed).tobytes()


def pack_reals(size):
    """A function that packs lists of that many numbers."""
    pack, minus_zero = struct.Struct("<%dd" % size).pack, struct.pack("<d", -0.0)

    def packed(numbers):
        data = pack(*numbers)
        return pack(*[x + 0.0 for x in numbers]) if minus_zero in data else data

    return packed


class Taken:
    """The steps of an answer, as they are taken. Observations are keys, or the numbers of real ones
    one after the other. At the time due, is_over tells whether the time is up."""

    def __init__(self, session, request, are_numbers, decided):
        self.session, self.are_numbers, self.decided = session, are_numbers, decided
        self.id, now = request.get("id"), perf_counter()
        self.until = self.due = now + request["seconds"]
        if session.send:
            self.due = min(now + PART_SECONDS, self.until)
        self.ends, self.actions, self.rewards, self.observations = bytearray(), bytearray(), [], []
        self.see = self.observations.extend if are_numbers else self.observations.append

    def is_over(self):
        """Sends what was taken so far unless the time is up."""
        if perf_counter() > self.until or not self.session.send:
            return True
        members, payload = self.answer()
        self.session.send(line_of({"id": self.id, **members, "more": True}) + payload + b"\n")
        for each in (self.ends, self.actions, self.rewards, self.observations):
            each.clear()
        self.due = min(perf_counter() + PART_SECONDS, self.until)
        return False

    def answer(self):
        """The members of the answer, and its payload; None where there is none."""
        session, rewards = self.session, [float(r) for r in self.rewards]
        if not all(map(math.isfinite, rewards)):
            raise Refused("a reward is not finite: %r" % [r for r in rewards if not math.isfinite(r)][0])
        if not session.frames:
            answer = {"observations": self.observations, "ends": list(self.ends)}
            return {**answer, "rewards": rewards} if session.rewarded else answer, None
        payload = [self.ends, self.actions if self.decided else b"", little(array("d", rewards)).tobytes()]
        if session.discrete:
            payload.append(little(array("I", self.observations)).tobytes())
        elif self.are_numbers:
            payload.append(pack_numbers(self.observations))
        else:
            payload += self.observations
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


def sum_of(weights):
    """The source of a linear q: the products in the order of the features, and then the constant."""
    products = ["%r * x%d" % (weight, i) for i, weight in enumerate(weights[1:])]
    return " + ".join(products + ["%r" % weights[0]])


def source_of_choice(name, unpack, tolerance, sums):
    """A function that returns the first action whose q is within the tolerance of the best one, if that is
    above the tolerance."""
    lines = ["def %s(x):" % name, unpack] + [" q%d = %s" % pair for pair in enumerate(sums)] + [" best = q0"]
    for a in range(1, len(sums)):
        lines += [" if q%d > best:" % a, "  best = q%d" % a,
                  " elif not q%d <= best:" % a, "  return %d" % NO_OPTION]  # no number
    lines += [" if not best > %r:" % tolerance, "  return %d" % NO_OPTION, " best -= %r" % tolerance]
    for a in range(len(sums)):
        lines += [" if q%d >= best:" % a, "  return %d" % a]
    return lines


class Weights:
    """Options whose actions follow from linear q of real observations. Functions are made for them, since
    their sums have to be those of the client, bit by bit: of products in order, each rounded."""

    def __init__(self, data, options, actions):
        numbers = little(array("d", base64.b64decode(data))).tolist()
        each = len(numbers) // options
        size = (each - 1) // actions - 1
        tolerances = numbers[::each]
        del numbers[::each]
        names = ["x%d" % i for i in range(size)]
        unpack = " %s, = x" % ", ".join(names)
        bound = 1e300 / max(1.0, *map(abs, numbers)) / (size + 1)  # no sum of less is infinite
        sure = " and ".join("%r < %s < %r" % (-bound, name, bound) for name in names)
        choices, starts = [], ["def starts(x):", unpack, " if not (%s):" % sure, "  return None", " found = []"]
        for i, tolerance in enumerate(tolerances):
            first = i * (each - 1)
            sums = [sum_of(numbers[j:j + size + 1]) for j in range(first, first + each - 1, size + 1)]
            choices += source_of_choice("choice%d" % i, unpack, tolerance, sums)
            starts += [" if %s:" % " or ".join("%s > %r" % (text, tolerance) for text in sums),
                       "  found.append(%d)" % i]
        made = {}
        exec("\n".join(choices + starts + [" return found", ""]), made)
        self.choices, self.starts = [made["choice%d" % i] for i in range(options)], made["starts"]
        self.known = {}

    def available(self, numbers):
        """The options that can start, or None where a q may be infinite."""
        if self.known is None:
            return self.starts(numbers)
        key = tuple(numbers)
        options = self.known.get(key)
        if options is None:
            options = self.known[key] = self.starts(numbers)
            if len(self.known) > MOST_KNOWN:  # they rarely recur
                self.known = None
        return options


class Session:
    """An environment and what the client told of it."""

    def __init__(self, environment, send):
        self.environment, self.declaration = environment, environment.declaration
        self.can_send, self.send = send, None  # a part of an answer
        self.rewarded = bool(self.declaration.get("reward"))
        kind = self.declaration["observes"]["kind"]
        self.discrete, self.real = kind == "discrete", kind == "real"
        self.frames, self.key = False, environment.encode
        self.last = None  # observation
        self.rows, self.limits, self.available, self.weights = {}, [], {}, None

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
        known = [STEPS]
        if hasattr(self.environment, "pack"):
            known += [FRAMES, POLICIES] + [WEIGHTS] * (self.real and ROUNDS_ONCE) + [PARTS] * bool(self.can_send)
        used = [name for name in known if name in request.get("extensions", [])]
        self.frames, self.send = FRAMES in used, self.can_send if PARTS in used else None
        if self.frames and not self.discrete:
            self.key = self.environment.pack
        answer = {**self.declaration, "extensions": used} if used else dict(self.declaration)
        if request.get("code"):
            answer["code"] = code_of(sys.modules)
        return answer

    def reset(self, request):
        self.last = self.environment.reset(request.get("seed"))
        return {"observation": self.environment.encode(self.last)}

    def step(self, action):
        self.last, reward, terminated, truncated = self.environment.step(action)
        answer = {"observation": self.environment.encode(self.last),
                  "terminated": bool(terminated), "truncated": bool(truncated)}
        if self.rewarded:
            answer["reward"] = float(reward)
            if not math.isfinite(answer["reward"]):
                raise Refused("the reward %r is not finite" % reward)
        return answer

    def steps(self, request):
        """Takes given actions, until the time is up."""
        taken = Taken(self, request, self.frames and self.real, False)
        step, reset, due = self.environment.step, self.environment.reset, taken.due
        form = self.environment.encode if taken.are_numbers else self.key
        end, see, note, rewarded = taken.ends.append, taken.see, taken.rewards.append, self.rewarded
        for action in request["actions"]:
            observation, reward, terminated, truncated = step(action)
            see(form(observation))
            if rewarded:
                note(reward)
            if terminated or truncated:
                end(1 if terminated else 2)
                observation = reset(None)
                see(form(observation))
            else:
                end(0)
            if perf_counter() > due:
                if taken.is_over():
                    break
                due = taken.due
        self.last = observation
        return taken.answer()

    def options(self, request):
        self.limits, self.rows, self.available, self.weights = request["limits"], {}, {}, None
        if "weights" in request:
            self.weights = Weights(request["weights"], len(self.limits), len(self.declaration["actions"]))
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
        self.rows.update(zip(keys, [actions[i:i + n] for i in range(0, len(actions), n)]))
        return {}

    def available_in(self, row):
        """The options that can start where the row has an action for them."""
        options = self.available.get(row)
        if options is None:
            options = self.available[row] = array("H", [i for i, action in enumerate(row) if action != NO_OPTION])
        return options

    def walk(self, request):
        """Takes the steps that the agent would, until one does not follow from the request."""
        if self.weights:
            return self.walk_by_weights(request)
        if "observations" in request:
            self.policies(request)
        taken = Taken(self, request, False, True)
        step, key, reset, due = self.environment.step, self.key, self.environment.reset, taken.due
        end, act, see, note = taken.ends.append, taken.actions.append, taken.see, taken.rewards.append
        find, available_in, limits, rewarded = self.rows.get, self.available_in, self.limits, self.rewarded
        stop, chance, arity = request["stop"], request.get("chance", 0), len(self.declaration["actions"])
        executing, executed = request["executing"], request["executed"]
        draws, at = little(array("Q", base64.b64decode(request["draws"]))), 0
        last = len(draws) - (2 if chance else 1)
        observation = self.last
        row = find(key(observation))
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
                observation = reset(None)
                current = key(observation)
                see(current)
                executing = -1
            else:
                end(0)
            row = find(current)
            if executing >= 0:
                executed += 1
                if executed == limits[executing] or (
                        not stop if row is None else row[executing] == NO_OPTION):
                    executing = -1
            if perf_counter() > due:
                if taken.is_over():
                    break
                due = taken.due
        self.last = observation
        return taken.answer()

    def walk_by_weights(self, request):
        """What walk does, if no row is needed."""
        taken = Taken(self, request, True, True)
        step, encode, reset, due = self.environment.step, self.environment.encode, self.environment.reset, taken.due
        end, act, see, note = taken.ends.append, taken.actions.append, taken.see, taken.rewards.append
        available, choices, limits, rewarded = self.weights.available, self.weights.choices, self.limits, self.rewarded
        chance, arity = request.get("chance", 0), len(self.declaration["actions"])
        executing, executed = request["executing"], request["executed"]
        draws, at = little(array("Q", base64.b64decode(request["draws"]))), 0
        last = len(draws) - (2 if chance else 1)
        observation = self.last
        numbers = encode(observation)
        choose, action = choices[executing], NO_OPTION
        if executing >= 0:
            action = choose(numbers)
        for _ in range(request["steps"]):
            if executing < 0:
                options = available(numbers)
                if options is None or at > last:
                    break
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
                    choose = choices[executing]
                    action = choose(numbers)
            observation, reward, terminated, truncated = step(action)
            act(action)
            numbers = encode(observation)
            see(numbers)
            if rewarded:
                note(reward)
            if terminated or truncated:
                end(1 if terminated else 2)
                observation = reset(None)
                numbers = encode(observation)
                see(numbers)
                executing = -1
            else:
                end(0)
                if executing >= 0:
                    executed += 1
                    action = choose(numbers)
                    if action == NO_OPTION or executed == limits[executing]:
                        executing = -1
            if perf_counter() > due:
                if taken.is_over():
                    break
                due = taken.due
        self.last = observation
        return taken.answer()


def answers(requests, make, report=traceback.print_exc, send=None):
    """The bytes that answer each request, the environment being made for the first one. report is
    called for each exception that an environment raises, while it is handled. Without send, which
    takes bytes, no answer comes in parts."""
    session = None
    for text in requests:
        request = json.loads(text)
        answer, payload = {"id": request["id"]}, None
        try:
            if session is None:
                session = Session(make(), send)
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

    def send(text):
        out.write(text)
        out.flush()

    for text in answers(sys.stdin.buffer, make, send=send):
        send(text)
