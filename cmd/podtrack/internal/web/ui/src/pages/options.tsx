import { useMemo, useState } from "preact/hooks";
import { heavyPause, useSteady, useWorld } from "../api";
import { command } from "../command";
import { OfIteration } from "../parts/ask";
import { light } from "../parts/lit";
import { Panel } from "../parts/panel";
import { usePlane } from "../parts/plane";
import { Empty, Shown } from "../parts/states";
import { Small } from "../parts/small";
import { numeric, Rows, sheet, sorted, type Column } from "../parts/table";
import { about, num, plural, sigma, whole } from "../format";
import { name, numbered, optionLink, shown } from "../links";
import { go, set } from "../router";
import type { Detail, Option, World } from "../types";
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
const keys = ["number", "sigma", "initiation", "length", "calls", "reach", "longest", "gained"];

/** Options are small multiples and the table of podtrack options, in one order. */
export function Options({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const world = useWorld(detail);
  const maps = query.get("maps") === "w";
  const answer = useSteady<Option[]>(`/api/runs/${detail.run}/options`, undefined, heavyPause, detail.head);
  const sort = query.get("sort") ?? "-calls";
  const of = query.get("of");
  const columns = useMemo(() => columnsFor(label(detail)), [detail.run]);
  return (
    <Panel
      id="options"
      title="Options"
      aside={<Choice detail={detail} sort={sort} of={of} maps={world?.plan ? maps : undefined} />}
      command={command("options", label(detail), ...(of ? ["--iteration", of] : []), ...(sort === "number" ? [] : ["--sort", sort]))}
      figure={{ name: "purposes", of: [of ? `${label(detail)}:${of}` : label(detail)] }}
      files={answer.data && { name: `${label(detail)}-options`, json: chosen(answer.data, of), csv: sheet(columns, chosen(answer.data, of)) }}
    >
      <Shown answer={answer} what="the options">
        {(all) => {
          const rows = sorted(chosen(all, of), columns, sort);
          return rows.length === 0 ? <Empty>{none(detail, of)}</Empty> : <Both rows={rows} columns={columns} sort={sort} run={label(detail)} world={world} w={maps} />;
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

const part = 200; // options that are drawn in small at first, and with each press

function Both({ rows, columns, sort, run, world, w }: { rows: Option[]; columns: Column<Option>[]; sort: string; run: string; world?: World; w: boolean }) {
  const { plan, loading } = usePlane(run, world);
  const potential = w && !!plan;
  const shownRows = potential ? rows.filter((o) => o.sign > 0) : rows;
  const [most, more] = useState(part);
  return (
    <>
      {potential ? (
        <p class="note">What each purpose is worth where, with the sign +: blue above 0, vermilion below, each to its own largest.</p>
      ) : plan ? (
        <p class="note">Blue is the value, to each option's own largest, an arrow the action, a dot a cell where it ends; n× is how often it was called. {plural(rows.length, "option")}.</p>
      ) : (
        <p class="note">The weights of each purpose over the features, to its own largest: blue above 0, vermilion below; n× is how often the option was called. {plural(rows.length, "option")}.</p>
      )}
      <ul class="options" aria-label="options in small">
        {world && !loading && shownRows.slice(0, most).map((o) => (
          <li key={o.option}>
            <a href={link(run, o)} data-option={`${o.k}/${name(o.j, o.sign)}`} onMouseEnter={() => light(`${o.k}/${name(o.j, o.sign)}`)} onMouseLeave={() => light()}>
              <span class="title">
                {numbered(`${o.k}/${name(o.j, o.sign)}`, o.number)} <small>σ {sigma(o.sigma)} · {about(o.calls)}×</small>
              </span>
              <Small path={`${encodeURIComponent(run)}/iterations/${o.k}/options/${encodeURIComponent(name(o.j, o.sign))}`} label={`${potential ? "purpose" : plan ? "value and policy" : "weights"} of ${shown(o.option)}`} plan={plan} potential={potential} />
            </a>
          </li>
        ))}
        {shownRows.length > most && (
          <li>
            <button type="button" class="quiet" onClick={() => more(most + part)} data-more>
              {whole(shownRows.length - most)} more
            </button>
          </li>
        )}
      </ul>
      <Rows label="options" columns={columns} rows={rows} sort={sort} onSort={(key) => set({ sort: key })} onOpen={(o) => go(link(run, o))} />
    </>
  );
}

function Choice({ detail, sort, of, maps }: { detail: Detail; sort: string; of: string | null; maps?: boolean }) {
  return (
    <>
      <OfIteration detail={detail} name="of" k={of} all="all iterations" />{" "}
      {maps !== undefined && (
        <label>
          maps of{" "}
          <select value={maps ? "w" : ""} onChange={(e) => set({ maps: e.currentTarget.value || null })} data-maps>
            <option value="">values</option>
            <option value="w">purposes</option>
          </select>
        </label>
      )}{" "}
      <label>
        by{" "}
        <select value={sort} onChange={(e) => set({ sort: e.currentTarget.value })}>
          {keys.flatMap((key) => [key, `-${key}`]).map((key) => (
            <option key={key} value={key}>
              {key.replace(/^-(.*)/, "$1, largest first")}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
