"""The modules of the package import each other in one direction."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import podtrack


def imports_of(path: Path, package: str) -> set[str]:
    """Returns the modules of podtrack that a file imports anywhere: in a function, and for types alone, too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *filter(None, [node.module])])
            found |= {base, *(base + "." + name.name for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


def test_no_circle() -> None:
    root = Path(podtrack.__file__).parent
    paths = {".".join(["podtrack", *path.relative_to(root).with_suffix("").parts]).removesuffix(".__init__"): path
             for path in root.rglob("*.py")}
    graph = {name: imports_of(path, name if path.stem == "__init__" else name.rpartition(".")[0]) & set(paths)
             for name, path in paths.items()}
    for name, imported in graph.items():  # a package is imported with each of its modules
        if name != "podtrack":
            imported.discard("podtrack")
    assert {"podtrack.store", "podtrack.run"} <= graph["podtrack"] and "podtrack.iteration" in graph["podtrack.run"]
    order = list(TopologicalSorter(graph).static_order())  # raises a CycleError that names a circle
    line = [name for name in order if name.rpartition(".")[2] in ("storefile", "option", "iteration", "run", "store")]
    assert line == ["podtrack." + name for name in ("storefile", "option", "iteration", "run", "store")]
