// Fails if the sources of the page import each other in a circle, types included.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const sources = readdirSync("src", { recursive: true }).filter((name) => /\.tsx?$/.test(name));
const state = new Map(); // by source: being visited, or done

function visit(source, path) {
  if (state.get(source) === "done") return;
  if (state.get(source) === "visited") {
    console.error(`imports in a circle: ${[...path.slice(path.indexOf(source)), source].join(" → ")}`);
    process.exit(1);
  }
  state.set(source, "visited");
  const text = readFileSync(join("src", source), "utf8");
  for (const [, name] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?"(\.[^"]+)"/g)) {
    const target = [".ts", ".tsx"].map((end) => join(dirname(source), name + end)).find((file) => existsSync(join("src", file)));
    if (target) visit(target, [...path, source]);
  }
  state.set(source, "done");
}

for (const source of sources) visit(source, []);
