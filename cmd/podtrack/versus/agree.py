"""Compares what two programs printed: agree.py HOW A.csv B.csv, where HOW is

  close    equal whole numbers, floats within 1e-9 relative
  parting  close, but for runs that part at an iteration and are other runs from
           there on; says which, and how the means are then apart
  means    other random numbers: the means of each iteration within 5 standard errors

Exit 1 where they do not agree; runs that part are said, and no failure. means needs
10 runs a setting."""
import csv
import math
import sys

RELATIVE, ERRORS, FEWEST = 1e-9, 5, 10
KEYS, FLOATS = ("reading", "hide", "seed", "k"), ("option_length", "values")


def read(path):
    with open(path, newline="") as f:
        lines = list(csv.DictReader(f))
    if not lines:
        sys.exit(f"{path} has no line")
    return {tuple(line[key] for key in KEYS): line for line in lines}


def equal(name, x, y):
    if name not in FLOATS or not x or not y:
        return x == y
    return math.isclose(float(x), float(y), rel_tol=RELATIVE)


def different(a, b):
    """The columns in which two lines differ."""
    return [name for name in a if not equal(name, a[name], b[name])]


def parted(a, b):
    """For each run that parts, the first iteration that differs and its columns."""
    first = {}
    for key, line in a.items():
        columns = different(line, b[key])
        if columns and (key[:3] not in first or int(key[3]) < first[key[:3]][0]):
            first[key[:3]] = int(key[3]), columns
    return first


def settings(lines, column):
    """The numbers of a column by reading, hidden bits and iteration."""
    numbers = {}
    for key, line in lines.items():
        if line[column]:
            numbers.setdefault((key[0], key[1], key[3]), []).append(float(line[column]))
    return numbers


def moments(xs, count):
    """The mean and its squared standard error; a count's deviation is at least 1/√12."""
    mean = sum(xs) / len(xs)
    variance = sum((x - mean) ** 2 for x in xs) / (len(xs) - 1)
    return mean, max(variance, count / 12) / len(xs)


def farthest(a, b):
    """The largest distance of two means in standard errors, and where it is."""
    worst = 0.0, "nowhere"
    for column in list(next(iter(a.values())))[len(KEYS):]:
        left, right = settings(a, column), settings(b, column)
        for where in left.keys() & right.keys():
            if min(len(left[where]), len(right[where])) < FEWEST:
                continue
            (x, vx), (y, vy) = (moments(side[where], column not in FLOATS) for side in (left, right))
            z = abs(x - y) / math.sqrt(vx + vy)
            worst = max(worst, (z, f"{column} of {where[0]}, {where[1]} bits hidden, iteration {where[2]}"))
    return worst


def main(how, path_a, path_b):
    a, b = read(path_a), read(path_b)
    if a.keys() != b.keys():
        sys.exit(f"{path_a} and {path_b} are of different runs or iterations")
    if how == "means":
        if len(a) < FEWEST * len({key[:2] + key[3:] for key in a}):
            sys.exit(f"means of fewer than {FEWEST} runs a setting say nothing")
        z, where = farthest(a, b)
        print(f"means of {len(a)} iterations: at most {z:.1f} standard errors apart ({where})")
        return z > ERRORS
    first = parted(a, b)
    after = sum(int(key[3]) >= first[key[:3]][0] for key in a if key[:3] in first)
    print(f"{len(a) - after} of {len(a)} iterations agree: whole numbers exactly, floats within {RELATIVE:g}")
    for run, (k, columns) in first.items():
        print(f"  {run[0]}, {run[1]} bits hidden, seed {run[2]} parts at iteration {k}: {', '.join(columns)}")
    if first:
        z, where = farthest(a, b)
        print(f"  {len(first)} of {len({key[:3] for key in a})} runs part; means at most {z:.2g} standard errors apart ({where})")
    return bool(first) and how == "close"


if len(sys.argv) != 4 or sys.argv[1] not in ("close", "parting", "means"):
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
