"""Prints what commands take: commands.py FILE. Of the output of go test -bench Commands it makes two tables, of runs by
their size and of stores by their number of runs: medians of the processor time and of the peak of memory."""
import re
import statistics
import sys

import medians

NAME = re.compile(r"Commands/of=(\w+)/store=(\S+?)/do=(\S+)")


def read(path):
    """Of each kind of stores, of each command, of each store in the order of the file: the values of each metric."""
    tables = {}
    for name, values in medians.read(path).items():
        if match := NAME.match(name):
            tables.setdefault(match[1], {}).setdefault(match[3].replace("_", " "), {})[match[2]] = values
    return tables


def median(values, unit):
    x = statistics.median(values[unit])
    return f"{x:.0f}" if x >= 10 else f"{x:.2g}"


def print_table(commands):
    stores = list(dict.fromkeys(store for measured in commands.values() for store in measured))
    print("| command |", " | ".join(stores), "|")
    print("|---" * (len(stores) + 1) + "|")
    for command, of in commands.items():
        cells = [f"{median(of[s], 'cpu-s')} s, {median(of[s], 'peak-MB')} MB" if s in of else "" for s in stores]
        print(f"| `{command}` |", " | ".join(cells), "|")
    first = next(iter(commands.values()))
    print("| the store's file |", " | ".join(median(first[s], "file-MB") + " MB" for s in stores), "|")


if len(sys.argv) != 2:
    sys.exit(__doc__)
for i, commands in enumerate(read(sys.argv[1]).values()):
    if i > 0:
        print()
    print_table(commands)
