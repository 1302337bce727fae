import { command } from "../command";
import { Digest } from "../parts/copy";
import { Panel } from "../parts/panel";
import { numeric, Rows, sheet, type Column } from "../parts/table";
import { none, num, percent, plural, short, whole } from "../format";
import { numbered, optionLink, read, runLink } from "../links";
import type { Ancestor, Evidence, Source, Why } from "../types-compare";

/** Ref is an option's name with a link to it, or the name of an action. */
export function Ref({ name, run, number, or = "no option yet" }: { name?: string; run?: string; number?: number | null; or?: string }) {
  const option = read(name ?? "");
  if (!option) return <>{name || or}</>;
  return <a href={optionLink(run ?? option.run, option.k, option.j)}>{numbered(run ? `${option.k}/${option.j}` : name!, number)}</a>;
}

/** Causes are the data behind an option, what gathered them, and the proofs on the way to the head. */
export function Causes({ why, run, features }: { why: Why; run: string; features: string[] }) {
  const line = command("why", why.option);
  const file = (part: string, json: unknown, csv?: ReturnType<typeof sheet>) => ({ name: `${part}-${why.option.replace(/[:/]/g, "-")}`, json, csv });
  const evidence = evidenceColumns(features, run);
  const sources = sourceColumns(run);
  const { dataset, chain } = why;
  const [first, last] = dataset.iterations;
  const span = first === last ? `iteration ${first}` : `iterations ${first} to ${last}`;
  const broken = (chain ?? []).filter((c) => !c.verified).length;
  return (
    <>
      <Panel id="evidence" title="Evidence" aside={why.purpose.method === "pod" || why.purpose.directions_from ? `${whole(dataset.rows)} rows of D, ${dataset.distinct} of them distinct, from ${span}` : `the ${why.purpose.method} matrix of ${whole(dataset.rows)} states, from ${span}`} command={line} files={file("evidence", why.evidence, sheet(evidence, why.evidence))}>
        <Rows label="rows of D" columns={evidence} rows={why.evidence} />
      </Panel>
      <div class="halves">
        <Panel id="sources" title="Sources" aside="what was executing while the data were gathered" files={file("sources", why.sources, sheet(sources, why.sources))}>
          <Rows label="sources" columns={sources} rows={why.sources} />
        </Panel>
        <Panel id="ancestors" title="Ancestors" aside="earlier options whose steps are behind the purpose, by their influence" files={file("ancestors", why.ancestors, sheet(ancestorColumns(run), why.ancestors))}>
          {why.ancestors.length === 0 ? <p class="empty">The data came from primitive actions alone.</p> : <Rows label="ancestors" columns={ancestorColumns(run)} rows={why.ancestors} />}
        </Panel>
      </div>
      {chain && <Panel id="chain" title="Chain" aside={broken ? `${plural(broken, "record")} not as recorded: podtrack check says more` : "every record on the way to the head is verified"} files={file("chain", chain)}>
        <Rows label="chain of proofs" columns={chainColumns} rows={chain} />
      </Panel>}
    </>
  );
}

function differences(row: number[], features: string[]): string {
  const parts = row.flatMap((x, i) => (x ? [`${features[i] ?? i} ${x > 0 ? "+" : "−"}${short(Math.abs(x))}`] : []));
  if (parts.length === 0) return "no difference";
  return parts.length > 6 ? `${parts.slice(0, 6).join(", ")}, … (${parts.length})` : parts.join(", ");
}

const hash = (n: number | null) => (n === null ? none : `#${n}`);

const evidenceColumns = (features: string[], run: string): Column<Evidence>[] => [
  { key: "row", title: "row of D", help: "how a step changed the features; equal changes are one row", width: 60, value: (e) => e.row.join(" "), cell: (e) => (e.from === undefined || e.to === undefined ? differences(e.row, features) : `${features[e.from]} → ${features[e.to]}`) },
  numeric("reward", "reward", (e) => e.product, (x) => num(x, 4), "what the purpose pays for such a step: the row times the eigenpurpose"),
  numeric("count", "count", (e) => e.count, whole, "steps that made the row"),
  numeric("share", "share", (e) => e.share, percent, "how much of the purpose comes from the row: its part of the sum of count · reward²"),
  numeric("support", "support", (e) => e.support, percent, "the same among the rows with a reward above 0, which this sign of the purpose seeks"),
  {
    key: "steps",
    title: "first at",
    help: "the first steps that showed it, iteration:step; a link to the walk there",
    width: 34,
    value: (e) => e.steps.map((s) => `${s.k}:${s.step}`).join(" "),
    cell: (e) =>
      e.steps.slice(0, 3).map((s) => [
        <a key={`${s.k}:${s.step}`} href={`${runLink(run)}?k=${s.k}&from=${Math.max(0, s.step - 20)}&to=${s.step + 20}&at=${s.step}#walk`}>
          {s.k}:{s.step}
        </a>,
        " ",
      ]),
  },
];

const sourceColumns = (run: string): Column<Source>[] => [
  { key: "source", title: "executing", help: "what the agent was executing in the steps: an option, or an action of its own", width: 18, sort: (s) => s.source, cell: (s) => <Ref name={s.source} run={run} /> },
  numeric("number", "#", (s) => s.number, hash),
  numeric("steps", "steps", (s) => s.steps, whole),
  numeric("share", "share", (s) => s.share, percent, "how much of the purpose comes from these steps: their part of the sum of reward²"),
  numeric("support", "support", (s) => s.support, percent, "the same among the steps with a reward above 0, which this sign of the purpose seeks"),
  numeric("without_cosine", "|cos| without", (s) => s.without?.cosine ?? null, (x) => num(x, 3), "similarity of the purpose to the nearest direction found without these steps; 1 if it does not depend on them"),
  numeric("without_sigma", "σ without", (s) => s.without?.sigma ?? null, (x) => num(x, 3), "the singular value of that direction"),
  { key: "without_selected", title: "selected without", help: "whether that direction would be selected", width: 18, value: (s) => s.without?.selected ?? null, cell: (s) => (s.without === null ? "…" : s.without.selected ? "yes" : "no") },
];

const ancestorColumns = (run: string): Column<Ancestor>[] => [
  { key: "option", title: "option", width: 18, sort: (a) => a.option, cell: (a) => <Ref name={a.option} run={run} /> },
  numeric("number", "#", (a) => a.number, hash),
  numeric("depth", "depth", (a) => a.depth, whole, "1: it was executing while the data were gathered; 2: while those of such an option were; and so on"),
  numeric("share", "share", (a) => a.share, percent, "how much of the purpose comes from steps taken while it was executing"),
  numeric("influence", "influence", (a) => a.influence, percent, "share, plus its part through other ancestors: the sum over all paths of the products of shares"),
];

const chainColumns: Column<NonNullable<Why["chain"]>[number]>[] = [
  { key: "k", title: "k", right: true, width: 6, cell: (c) => c.k },
  { key: "what", title: "record", width: 16, cell: (c) => c.what },
  { key: "digest", title: "digest", width: 18, cell: (c) => <Digest text={c.digest} /> },
  { key: "verified", title: "verified", width: 12, cell: (c) => (c.verified ? "✓ yes" : "✕ no") },
  { key: "how", title: "how", width: 70, cell: (c) => c.how },
];
