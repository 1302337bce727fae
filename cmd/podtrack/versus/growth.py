"""Prints how times grow with sizes: growth.py FILE. Of the output of go test -bench it takes the benchmarks with a
size in their names, such as runs=1000, and a processor time: its median for the least and for the largest size, and the
exponent of the power of the size that fits all of them best."""
import math
import re
import statistics
import sys

LINE = re.compile(r"Benchmark(\S+?)(?:-\d+)?\s+\d+\s.*\s([0-9.e-]+) cpu-s/op")
SIZE = re.compile(r"/([A-Za-z-]+)=(\d+)")


def read(path):
    """Of each benchmark and the parameter that is its size, in the order of the file: the times of each size, in s."""
    measured, package = {}, ""
    with open(path) as f:
        for line in f:
            if line.startswith("pkg: "):
                package = line.split("/")[-1].strip() + "."
            match = LINE.match(line)
            size = match and SIZE.search(match[1])
            if size and int(size[2]) > 0:
                name = package + SIZE.sub("", match[1], count=1)
                measured.setdefault((name, size[1]), {}).setdefault(int(size[2]), []).append(float(match[2]))
    return measured


def exponent(times):
    """The least squares of the logarithms of times by size."""
    x, y = [math.log(n) for n in times], [math.log(t) for t in times.values()]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def main(path):
    print("| benchmark | sizes | processor seconds | power |\n|---|---|---|---|")
    for (name, parameter), samples in read(path).items():
        times = {n: statistics.median(samples[n]) for n in sorted(samples)}
        if len(times) > 1:
            sizes, seconds = list(times), [f"{t:.2g}" for t in times.values()]
            print(f"| {name} | {sizes[0]} to {sizes[-1]} {parameter} | {seconds[0]} to {seconds[-1]} | "
                  f"{exponent(times):.2f} |")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
