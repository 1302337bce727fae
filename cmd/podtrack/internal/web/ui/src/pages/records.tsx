import { command } from "../command";
import { Digest } from "../parts/copy";
import { Panel } from "../parts/panel";
import { Rows, sheet, sorted, type Column } from "../parts/table";
import { moment, none, plural, seconds, size } from "../format";
import { set } from "../router";
import type { Detail, Session, Stored } from "../types";
import { label } from "./fields";

type Row = Stored & { k: number };

const columns: Column<Row>[] = [
  { key: "k", title: "k", right: true, width: 6, sort: (r) => r.k, cell: (r) => r.k },
  { key: "kind", title: "kind", width: 16, sort: (r) => r.kind, cell: (r) => r.kind },
  { key: "digest", title: "digest", width: 20, sort: (r) => r.digest, cell: (r) => <Digest text={r.digest} /> },
  { key: "bytes", title: "size", right: true, width: 13, sort: (r) => r.bytes, cell: (r) => (r.pruned ? "pruned" : size(r.bytes)) },
  { key: "stored", title: "in the store", right: true, width: 16, sort: (r) => r.stored, cell: (r) => (r.pruned ? "–" : size(r.stored)) },
];

/** Records are all records of the run with their sizes and digests. */
export function Records({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  const sort = query.get("records") ?? "";
  const rows = detail.history.flatMap((it) => it.records.map((r) => ({ ...r, k: it.k })));
  const sum = (of: (r: Row) => number) => rows.reduce((n, r) => n + of(r), 0);
  return (
    <Panel
      id="records"
      title="Records"
      aside={`${plural(rows.length, "record")}: ${size(sum((r) => r.bytes))}, ${size(sum((r) => r.stored))} in the store`}
      command={command("replay", label(detail))}
      files={{ name: `${label(detail)}-records`, json: rows, csv: sheet(columns, rows) }}
    >
      <Rows label="records" columns={columns} rows={sorted(rows, columns, sort)} sort={sort} onSort={(key) => set({ records: key })} />
    </Panel>
  );
}

const stages = ["collect", "factor", "select", "learn", "measure"];

const sessions: Column<Session>[] = [
  { key: "started", title: "started (UTC)", width: 22, sort: (s) => s.started, cell: (s) => moment(s.started) },
  { key: "from", title: "from", right: true, width: 8, sort: (s) => s.from, cell: (s) => s.from },
  { key: "to", title: "to", right: true, width: 8, sort: (s) => s.to, cell: (s) => s.to },
  { key: "seconds", title: "took", right: true, width: 12, sort: (s) => s.seconds, cell: (s) => seconds(s.seconds) },
  { key: "cpu_seconds", title: "processor", right: true, width: 12, sort: (s) => s.cpu_seconds, cell: (s) => seconds(s.cpu_seconds) },
  { key: "peak_bytes", title: "peak memory", right: true, width: 14, sort: (s) => s.peak_bytes, cell: (s) => (s.peak_bytes ? size(s.peak_bytes) : none) },
  { key: "host", title: "host", width: 16, sort: (s) => s.host, cell: (s) => s.host },
  { key: "go", title: "Go", width: 12, sort: (s) => s.go, cell: (s) => s.go },
  { key: "platform", title: "platform", width: 18, sort: (s) => s.platform, cell: (s) => s.platform },
];

/** Cost is what the run took: each stage's part of the time, and each stretch of work. */
export function Cost({ detail }: { detail: Detail }) {
  const total = (stage: string) => detail.history.reduce((n, it) => n + (it.cost[stage] ?? 0), 0);
  const all = stages.reduce((n, s) => n + total(s), 0);
  const csv = {
    head: ["k", ...stages.map((s) => `${s}_seconds`)],
    rows: detail.history.map((it) => [it.k, ...stages.map((s) => it.cost[s])]),
  };
  return (
    <Panel id="cost" title="Cost" aside={`${seconds(all)} in the stages`} files={{ name: `${label(detail)}-cost`, json: detail.sessions, csv }}>
      <table class="bars whole" aria-label="time by stage">
        <tbody>
          {stages.map((stage) => (
            <tr key={stage}>
              <th scope="row">{stage}</th>
              <td class="track" aria-hidden="true">
                <span class="bar plus" style={{ left: "0", width: `${all ? (100 * total(stage)) / all : 0}%` }} />
              </td>
              <td class="right">{seconds(total(stage))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {detail.sessions.length > 0 && <Rows label="stretches of work" columns={sessions} rows={detail.sessions} />}
    </Panel>
  );
}
