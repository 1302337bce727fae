import { command } from "../command";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Specs } from "../parts/specs";
import { numeric, Rows, sheet, type Column } from "../parts/table";
import { num } from "../format";
import { compareLink } from "../links";
import { go } from "../router";
import type { Compared, Pair, RunsDiff } from "../types-compare";
import { Ref } from "./causes";

/** verdict is how two things compare. */
export const verdict = (c: Pick<Compared, "identical" | "equivalent">) => (c.identical ? "identical" : c.equivalent ? "equivalent" : "different");

const same = (c: Compared) => c.pairs.filter((p) => p.matched).length;

const columns: Column<Compared>[] = [
  { key: "k", title: "k", right: true, cell: (c) => <a href={compareLink(c.a, c.b)}>{c.k}</a>, sort: (c) => c.k },
  { key: "same", title: "same", help: "purposes with a partner in the other", right: true, sort: same, cell: same },
  { key: "only_a", title: "only a", right: true, sort: (c) => c.only_a.length, cell: (c) => c.only_a.length },
  { key: "only_b", title: "only b", right: true, sort: (c) => c.only_b.length, cell: (c) => c.only_b.length },
  { key: "cosine", title: "|cos|", help: "mean over all pairs", right: true, sort: (c) => c.cosine, cell: (c) => num(c.cosine, 3) },
  { key: "chance", title: "chance", help: "mean |cos| of random sets of the same sizes, matched in the same way", right: true, sort: (c) => c.chance.mean, cell: (c) => num(c.chance.mean, 2) },
  { key: "chance_p95", title: "chance p95", help: "95th percentile of the same scores of random sets", right: true, sort: (c) => c.chance.p95, cell: (c) => num(c.chance.p95, 2) },
  { key: "overlap", title: "overlap", help: "subspace overlap above chance, and the maximum possible", right: true, sort: (c) => c.overlap, cell: (c) => `${num(c.overlap, 2)} of ${num(c.overlap_most, 2)}` },
  { key: "verdict", title: "verdict", sort: verdict, cell: (c) => <span class={`verdict ${verdict(c)}`}>{verdict(c)}</span> },
];

/** RunsCompared shows where two runs part, and which of their purposes are the same. */
export function RunsCompared({ diff, a, b }: { diff: RunsDiff; a: string; b: string }) {
  const line = command("diff", a, b);
  const one = diff.iterations.length === 1 ? diff.iterations[0] : undefined;
  const first = diff.iterations[0];
  const called = (ref = "") => (one ? ref : ref.replace(/:\d+$/, "")); // as the answer has them, which may be that before a and b
  const figure = { name: "diff", of: [called(first?.a), called(first?.b)] };
  const pairs = diff.iterations.flatMap((c) => c.pairs);
  return (
    <>
      <Panel id="specs" title="Specs" aside={parting(diff)} command={line} files={{ name: "diff", json: diff }}>
        <Specs differences={diff.spec} />
      </Panel>
      {diff.iterations.length === 0 && <p class="empty">They have no iteration in common yet. podtrack resume continues a run.</p>}
      {diff.iterations.length > 0 && (
        <Panel id="iterations" title="By iteration" aside="the same: a partner of |cos| above the threshold" figure={figure} files={{ name: "diff-iterations", csv: sheet(columns, diff.iterations) }}>
          <Rows label="iterations compared" columns={columns} rows={diff.iterations} onOpen={(c) => !one && go(compareLink(c.a, c.b))} />
          {pairs.length > 0 && <Plotted figure={figure} on={diff} />}
        </Panel>
      )}
      <Panel
        id="pairs"
        title="Matched pairs"
        aside={one ? `chance level: mean |cos| ${num(one.chance.mean, 2)}, 95th percentile ${num(one.chance.p95, 2)}; same purpose from ${num(one.threshold, 3)} on` : undefined}
        files={{ name: "diff-pairs", csv: sheet(pairColumns, pairs) }}
      >
        <Rows label="matched pairs" columns={pairColumns} rows={pairs} onOpen={(p) => go(compareLink(p.a, p.b))} />
      </Panel>
    </>
  );
}

function parting(diff: RunsDiff): string {
  if (diff.identical) return "every record that was compared is equal by digest";
  return diff.parted ? `first divergence: iteration ${diff.parted.k}, stage ${diff.parted.stage}` : "one is the beginning of the other";
}

const fixed = (key: keyof Pair & string, title: string, help?: string) => numeric<Pair>(key, title, (p) => (p[key] as number | undefined) ?? null, (x) => num(x, 3), help);

const pairColumns: Column<Pair>[] = [
  { key: "a", title: "a", width: 22, sort: (p) => p.a, cell: (p) => <Ref name={p.a} number={p.number_a} /> },
  { key: "b", title: "b", width: 22, sort: (p) => p.b, cell: (p) => <Ref name={p.b} number={p.number_b} /> },
  {
    key: "cosine",
    title: "cos_M",
    width: 12,
    help: "cosine similarity of the two intrinsic-reward functions over all transitions",
    right: true,
    sort: (p) => p.cosine,
    cell: (p) => (
      <a href={compareLink(p.a, p.b)} title="side by side">
        {num(p.cosine, 3)}
      </a>
    ),
  },
  { key: "matched", title: "same", width: 8, sort: (p) => String(p.matched), cell: (p) => (p.matched ? "✓" : "") },
  fixed("sigma_a", "σ a"),
  fixed("sigma_b", "σ b"),
  fixed("policy_agreement_ties", "with ties", "share of states with the same action, ties allowed"),
  fixed("initiation_jaccard", "initiation overlap", "Jaccard index of the initiation sets"),
  fixed("terminal_agreement", "same end state", "share of states from which both terminate in the same one"),
  fixed("value_rmse", "value rmse"),
];
