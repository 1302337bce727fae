"""Prints the medians of what measure.c wrote: table.py FILE. Ratios are to the first
program of the file."""
import statistics
import sys


def read(path):
    """Of each program, in the order of the file, wall and CPU seconds and MiB of each repetition."""
    measured = {}
    with open(path) as f:
        for row in f:
            label, wall, cpu, peak = row.rstrip("\n").split("\t")
            measured.setdefault(label, []).append((float(wall), float(cpu), float(peak) / 1024))
    return measured


def row(label, repetitions, base):
    walls, cpus, peaks = zip(*repetitions)
    wall, cpu, peak = statistics.median(walls), statistics.median(cpus), statistics.median(peaks)
    return (label, f"{wall:.2f}", f"{min(walls):.2f}–{max(walls):.2f}", f"{cpu:.2f}", f"{peak:.0f}",
            f"{wall / base[0]:.2f}", f"{cpu / base[1]:.2f}")


def main(path):
    measured = read(path)
    first = next(iter(measured.values()))
    base = [statistics.median(column) for column in zip(*first)]
    rows = [("program", "wall s", "range", "CPU s", "peak MiB", "wall ÷ first", "CPU ÷ first")]
    rows += [row(label, repetitions, base) for label, repetitions in measured.items()]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for cells in rows:
        print("  ".join([cells[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]))
    print(f"medians of {len(first)}, the programs one after the other in each repetition")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
