"""A corridor with a lamp that flickers: an environment in another process, for tests,
in Python's standard library. Its options make it misbehave."""

import argparse
import json
import os
import random
import subprocess
import sys
import time

options = argparse.ArgumentParser()
options.add_argument("--length", type=int, default=9)
options.add_argument("--limit", type=int, default=0, help="steps after which an episode is truncated")
options.add_argument("--observe", default="discrete", choices=["discrete", "binary", "real"])
options.add_argument("--clocks", type=int, default=0, help="features that are the time, of real observations")
options.add_argument("--name", default="corridor")
options.add_argument("--version", default="1")
options.add_argument("--slow", type=float, default=0, help="seconds a step")
options.add_argument("--at", type=int, default=50, help="the step, counted from 1 in the process, that goes wrong")
options.add_argument("--once", help="go wrong only where this file is not there, and make it")
options.add_argument("--wrong", default="", choices=[
    "", "crash", "hang", "garbage", "extra", "extra-last", "forgetful", "size", "nan", "range", "missing", "id", "error",
    "hello", "unseeded", "stay", "close", "long", "protocol", "orphan", "type"])
options = options.parse_args()


class Corridor:
    """Cells in a row, the last of which ends the episode. One step in four slips."""

    def __init__(self):
        self.random = random.Random()

    def reset(self, seed):
        if seed is not None:
            self.clock = 0
        if seed is not None and options.wrong != "unseeded":
            self.random.seed(seed)
        self.cell, self.steps = self.random.randrange(options.length // 2), 0
        return self.observe()

    def step(self, action):
        move = (-1, 1)[action] if self.random.randrange(4) else 0
        self.cell = min(max(self.cell + move, 0), options.length - 1)
        self.steps, self.clock = self.steps + 1, self.clock + 1
        terminated = self.cell == options.length - 1
        return self.observe(), terminated, self.steps == options.limit

    def observe(self):
        if options.observe == "discrete":
            return self.cell
        if options.observe == "binary":
            return format(self.cell, "b").zfill(8)[::-1]
        return [self.cell / 8, -0.0, 1e-3 * (self.cell % 3)] + [self.clock / 64] * options.clocks


def observes():
    if options.observe == "discrete":
        return {"kind": "discrete", "n": options.length}
    names = ["b%d" % i for i in range(8)] if options.observe == "binary" else ["x", "zero", "third"] + ["c%d" % i for i in range(options.clocks)]
    return {"kind": options.observe, "features": names}


def hello():
    if options.wrong == "hello":
        return {"protocol": 1, "name": "grid", "version": "1", "actions": [], "observes": observes()}
    return {
        "protocol": 9 if options.wrong == "protocol" else 1,
        "name": options.name, "version": options.version, "actions": ["back", "on"],
        "observes": observes(),
        "parameters": {"length": str(options.length), "limit": str(options.limit)},
    }


def goes_wrong():
    if options.once is None:
        return True
    if os.path.exists(options.once):
        return False
    open(options.once, "w").close()
    return True


def spoil(answer):
    """The answer to the step that goes wrong, as text."""
    if options.wrong == "crash":
        sys.stderr.write("the lamp fell\n")
        sys.stderr.flush()
        os._exit(3)
    if options.wrong == "hang":
        while True:
            time.sleep(60)
    if options.wrong == "orphan":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        os._exit(3)
    if options.wrong == "type":
        answer["terminated"] = "no"
    if options.wrong == "close":
        os.close(1)
        time.sleep(600)
    if options.wrong == "garbage":
        return "a lamp\n"
    if options.wrong == "extra":
        return json.dumps(answer) + "\nstep done\n"
    if options.wrong == "long":
        return "[" * (17 << 20)
    if options.wrong == "forgetful":
        answer["observation"] = 0 if answer["observation"] else 1
    if options.wrong == "size":
        answer["observation"] = [1.5]
    if options.wrong == "nan":
        answer["observation"] = [float("nan")] * 3
    if options.wrong == "range":
        answer["observation"] = options.length
    if options.wrong == "missing":
        del answer["terminated"]
    if options.wrong == "id":
        answer["id"] -= 1
    if options.wrong == "error":
        return json.dumps({"id": answer["id"], "error": "the lamp is broken"}) + "\n"
    return json.dumps(answer) + "\n"


def main():
    corridor, steps = Corridor(), 0
    for line in sys.stdin:
        request = json.loads(line)
        do, answer, text = request["do"], {"id": request["id"]}, None
        if do == "hello":
            answer.update(hello())
        elif do == "reset":
            answer["observation"] = corridor.reset(request.get("seed"))
        elif do == "step":
            steps += 1
            if options.slow:
                time.sleep(options.slow)
            observation, terminated, truncated = corridor.step(request["action"])
            answer.update(observation=observation, terminated=terminated, truncated=truncated)
            if options.wrong and steps == options.at and goes_wrong():
                text = spoil(answer)
        sys.stdout.write(text or json.dumps(answer) + "\n")
        sys.stdout.flush()
    if options.wrong == "extra-last":
        print("goodbye", flush=True)
    if options.wrong == "stay":
        time.sleep(600)


main()
