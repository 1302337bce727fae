"""Runs covering options again, with numpy alone: check_covering.py FILE STREAMS, STREAMS being the folder of stream.py.
The runs are in four rooms, with initiation ends and a cumulative D. Graph, Fiedler vector, the pair of its ends, values,
policies, where options start, and each decision of the agent, which draws uniformly from the actions and the options
that start in its state, are computed here from the definitions of Jinnai, Park, Abel & Konidaris (2019). Of the export
only the order of a pair is taken, which the sign of the vector decides, and a pair where the eigenvalue is not simple.
Values agree to 1e-9, all else exactly."""
import json
import sys

import numpy as np

from rooms import rooms

sys.path.insert(0, sys.argv[2])
import stream  # noqa: E402

EPS, SLACK = 1e-9, 2.0**-20
z = np.load(sys.argv[1])
AFTER, FIRST = rooms()
STATES, ACTIONS = AFTER.shape


def check(so, what):
    if not so:
        sys.exit(what)


class Option:
    def __init__(self, start, policy):
        self.start, self.policy = start, policy

    def starts_in(self, s):
        return s == self.start and self.policy[s] >= 0


def walk(below, state, options, steps):
    """The states, actions and executing options of an iteration, and the number of calls."""
    states, actions, executing, option, calls = [state], [], [], -1, 0
    for _ in range(steps):
        choice = None
        if option < 0:
            here = [i for i, o in enumerate(options) if o.starts_in(state)]
            choice = below(ACTIONS + len(here))
            if choice >= ACTIONS:
                option, calls = here[choice - ACTIONS], calls + 1
        actions.append(choice if option < 0 else options[option].policy[state])
        executing.append(option)
        state = AFTER[state][actions[-1]]
        states.append(state)
        if option >= 0 and options[option].policy[state] < 0:
            option = -1
    return states, actions, executing, calls


def ends(graph, touched):
    """The ends of the Fiedler vector, of several the lowest state; None where its eigenvalue is not simple."""
    part = graph[np.ix_(touched, touched)]
    values, vectors = np.linalg.eigh(np.diag(part.sum(axis=1)) - part)
    if values[2] - values[1] < 1e-6:
        return None
    v = vectors[:, 1]
    slack = SLACK * np.abs(v).max()
    return {touched[np.flatnonzero(x >= x.max() - slack)[0]] for x in (v, -v)}


def learn(end, spec):
    """Values, q and the policy of the option that leads to a state."""
    e = np.eye(STATES)[end]
    reward, v = e[AFTER] - e[:, None], np.zeros(STATES)
    for _ in range(spec["sweeps"]):
        v = np.maximum(0, (reward + spec["gamma"] * v[AFTER]).max(axis=1))
    q = reward + spec["gamma"] * v[AFTER]
    return v, q, np.where(q.max(axis=1) > spec["tolerance"], q.argmax(axis=1), -1)


def check_run(prefix, spec):
    """Compares the iterations of a run, and returns their number, that of calls and that of pairs that were taken."""
    graph, state, visited, options, calls, taken, k = np.zeros((STATES, STATES)), FIRST, set(), [], 0, 0, 0
    while f"{prefix}{k}/state" in z.files:
        at = f"{prefix}{k}: "
        array = lambda name: z[f"{prefix}{k}/{name}"]
        states, actions, executing, n = walk(stream.podtrack(spec["seed"], k), state, options, spec["steps"])
        check(np.array_equal(states, array("state")), at + "states")
        check(np.array_equal(actions, array("action")), at + "actions")
        check(np.array_equal(executing, array("option")), at + "options")
        state, calls, visited = states[-1], calls + n, visited | set(states)
        for s, t in zip(states[:-1], states[1:]):
            if s != t:
                graph[s, t] = graph[t, s] = 1
        pair = [int(e.argmax()) for e in array("eigenpurpose")]
        check(np.array_equal(array("eigenpurpose"), np.eye(STATES)[pair]), at + "the purposes")
        want = ends(graph, sorted(visited))
        check(want is None or want == set(pair), at + f"the pair {pair}, want {want}")
        taken += want is None
        for i, (end, start) in enumerate(zip(pair, reversed(pair))):
            v, q, policy = learn(end, spec)
            check(np.abs(array("value")[i] - v).max() < EPS and np.abs(array("q")[i] - q).max() < EPS, at + "values")
            check(np.array_equal(array("policy")[i], policy), at + "the policy")
            options.append(Option(start, policy))
            starts = [options[-1].starts_in(s) for s in range(STATES)]
            check(np.array_equal(array("initiation")[i], starts), at + "where the option starts")
        graph[pair[0], pair[1]] = graph[pair[1], pair[0]] = 1
        k += 1
    return k, calls, taken


total = np.zeros(3, dtype=int)
runs = json.loads(bytes(z["podtrack.json"]))["runs"]
for r in runs:
    total += check_run(r["prefix"], {k: r[k] for k in r if k != "spec"} | r.get("spec", {}))
print("%d runs, %d iterations, %d calls; %d pairs taken" % (len(runs), *total))
