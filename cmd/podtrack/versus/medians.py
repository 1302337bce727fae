"""Prints the medians of what benchmarks printed: medians.py FILE PATTERN... FILE is the output of go test -bench. Of each
PATTERN it takes the benchmarks that contain it, such as Roofline or keep=all/runs=800."""
import re
import statistics
import sys

LINE = re.compile(r"Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)")


def read(path):
    """Of each benchmark, in the order of the file: the values of each metric."""
    measured = {}
    with open(path) as f:
        for match in filter(None, map(LINE.match, f)):
            words, values = match[2].split(), measured.setdefault(match[1], {})
            for value, unit in zip(words[::2], words[1::2]):
                values.setdefault(unit, []).append(float(value))
    return measured


def main(path, patterns):
    measured = read(path)
    for pattern in patterns:
        for name, metrics in measured.items():
            if pattern in name:
                print(name + ":", ", ".join(f"{statistics.median(x):.3g} {unit}" for unit, x in metrics.items()))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
