import { useMemo } from "preact/hooks";
import { heavyPause, useSteady } from "../api";
import { command } from "../command";
import { OfIteration } from "../parts/ask";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Empty, Shown } from "../parts/states";
import { numeric, Rows, sheet, sorted, type Column } from "../parts/table";
import { num, whole } from "../format";
import { name, optionLink, shown } from "../links";
import { go, set } from "../router";
import type { Detail, Option } from "../types";
import { label } from "./fields";

function text(o: Option): string {
  return o.null ? `${o.termination}, null` : o.termination;
}

/** columnsFor are the columns of podtrack options. */
function columnsFor(run: string): Column<Option>[] {
  const n = (key: string, title: string, sort: (o: Option) => number | null, digits: number, help?: string) =>
    numeric(key, title, sort, (x) => (digits ? num(x, digits) : whole(x)), help, Math.max(9, title.length + 3));
  return [
    {
      key: "option",
      title: "option",
      width: 11,
      value: (o) => o.option,
      cell: (o) => (
        <a href={link(run, o)} tabIndex={-1}>
          {o.k}/{shown(name(o.j, o.sign))}
        </a>
      ),
    },
    { key: "number", title: "#", help: "the option's number in the run, as in RUN:#3 of commands", right: true, width: 8, sort: (o) => o.number, cell: (o) => `#${o.number}` },
    n("sigma", "σ", (o) => o.sigma, 3),
    n("initiation", "initiation", (o) => o.initiation, 0, "states in I"),
    n("reach", "mean steps", (o) => o.reach, 1, "mean steps to termination over I"),
    n("longest", "longest", (o) => o.longest, 0, "steps of the longest path"),
    n("calls", "calls", (o) => o.calls, 0),
    n("cut", "truncated", (o) => o.cut, 0, "calls truncated by the end of an iteration"),
    n("length", "option length", (o) => o.length, 1, "mean number of steps executed in a call"),
    n("gained", "new states", (o) => o.gained, 0, "states first visited in an iteration while executing the option"),
    { key: "termination", title: "termination", width: 16, sort: text, cell: text },
  ];
}

const link = (run: string, o: Option) => optionLink(run, o.k, name(o.j, o.sign));
/** Options are the purposes of the options, as a figure, and the table of podtrack options. */
export function Options({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const answer = useSteady<Option[]>(`/api/runs/${detail.run}/options`, undefined, heavyPause, detail.head);
  const sort = query.get("sort") ?? "-calls";
  const of = query.get("of");
  const run = label(detail);
  const columns = useMemo(() => columnsFor(run), [run]);
  const figure = { name: "purposes", of: [of ? `${run}:${of}` : run] };
  return (
    <Panel
      id="options"
      title="Options"
      aside={<OfIteration detail={detail} name="of" k={of} all="all iterations" />}
      command={command("options", run, ...(of ? ["--iteration", of] : []), ...(sort === "number" ? [] : ["--sort", sort]))}
      figure={figure}
      files={answer.data && { name: `${run}-options`, json: chosen(answer.data, of), csv: sheet(columns, chosen(answer.data, of)) }}
    >
      <Shown answer={answer} what="the options">
        {(all) => {
          const rows = sorted(chosen(all, of), columns, sort);
          if (rows.length === 0) return <Empty>{none(detail, of)}</Empty>;
          return (
            <>
              <Plotted figure={figure} on={detail.head} />
              <Rows label="options" columns={columns} rows={rows} sort={sort} onSort={(key) => set({ sort: key })} onOpen={(o) => go(link(run, o))} />
            </>
          );
        }}
      </Shown>
    </Panel>
  );
}

/** chosen are the options of an iteration, or all. */
const chosen = (all: Option[], of: string | null) => (of ? all.filter((o) => o.k === Number(of)) : all);

/** none says why there is no option. */
function none(detail: Detail, of: string | null): string {
  if (of !== null && !detail.history.some((it) => it.k === Number(of))) return `The run has no iteration ${of}.`;
  const rejected = detail.history.some((it) => (of === null || it.k === Number(of)) && it.rejected?.length);
  return rejected ? "No direction was selected there, so no option was learned; the selection says why." : "No singular value exceeds κ there, so no option was learned.";
}
