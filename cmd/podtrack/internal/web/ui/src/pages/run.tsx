import { useState } from "preact/hooks";
import { useSteady } from "../api";
import { command } from "../command";
import { useRunRows } from "../events";
import { Command, Digest } from "../parts/copy";
import { Facts, Panel, Parts, Path, StatusMark } from "../parts/panel";
import { Shown } from "../parts/states";
import { moment, none } from "../format";
import { term } from "../filter";
import { compareLink, parameters, runLink, studyLink } from "../links";
import { useAnchor } from "../router";
import type { Detail, Run } from "../types";
import { Cost, Records } from "./records";
import { label, oneLine } from "./fields";
import { Measures } from "./measures";
import { Options } from "./options";
import { ExplorationPanel } from "./exploration";
import { Purposes, Spectrum, VisitsPanel, Walk } from "./plots";
import { Selection } from "./selection";

const parts = ["measures", "exploration", "walk", "visits", "spectrum", "options", "records", "cost"];
const rowsParts = ["measures", "spectrum", "purposes", "records", "cost"]; // of imported rows, which have no states and no actions

/** RunView shows one run with its iterations. */
export function RunView({ run, query }: { run: string; query: URLSearchParams }) {
  const answer = useSteady<Detail>(`/api/runs/${encodeURIComponent(run)}`);
  return (
    <Shown answer={answer} what="the run">
      {(detail) => <Page detail={detail} query={query} />}
    </Shown>
  );
}

/** Stopped says why no process works on an incomplete run, and how to continue it. */
function Stopped({ detail, reason }: { detail: Detail; reason: string }) {
  const failed = detail.status === "failed";
  return (
    <div class={failed ? "fault" : "empty"}>
      <p>{reason}</p>
      <div class="remedy">
        {failed ? "Once the cause is removed, this continues the run" : "This continues the run"} from iteration {detail.iterations}; what is recorded stays:
        <Command line={command("resume", label(detail), ...(detail.spec.env.external ? ["--env", "exec:CMD"] : []))} />
      </div>
    </div>
  );
}

function Page({ detail, query }: { detail: Detail; query: URLSearchParams }) {
  useAnchor();
  const acts = detail.env !== "rows";
  const [row, see] = useState<Run>();
  useRunRows((run) => run.run === detail.run && see(run));
  const { status } = row ?? detail;
  return (
    <>
      <Path />
      <h1>
        {label(detail)} <StatusMark status={status} />
      </h1>
      {detail.reason && <Stopped detail={detail} reason={detail.reason} />}
      <About detail={detail} />
      {detail.findings?.map((f) => [
        <p>{f.text}</p>,
        <ul>
          {f.remedies.map((r) => (
            <li>{r.text}</li>
          ))}
        </ul>,
      ])}
      <Parts of={acts ? parts : rowsParts}>
        <a href={compareLink(label(detail), "")}>compare with …</a>
      </Parts>
      {detail.history.length === 0 ? (
        <p class="empty">No iteration is complete yet; the first one appears here as soon as it is.</p>
      ) : (
        <>
          <Measures detail={detail} />
          {acts && <ExplorationPanel detail={detail} query={query} />}
          {acts && <Walk detail={detail} k={query.get("k")} />}
          {acts && <VisitsPanel detail={detail} k={query.get("visits")} />}
          <Spectrum detail={detail} />
          {acts ? <Options detail={detail} query={query} /> : <Purposes detail={detail} />}
          <Selection detail={detail} query={query} />
          <Records detail={detail} query={query} />
          <Cost detail={detail} />
        </>
      )}
    </>
  );
}

/** Written is what people wrote about a run, with the command that changes it. */
const Written = ({ text, change }: { text: string; change: string[] }) => (
  <>
    {text} <Command line={command("label", ...change)} />
  </>
);

function About({ detail }: { detail: Detail }) {
  const { env, data, stages, ...rest } = detail.spec;
  const outside = env.external && { version: env.external.version, observes: env.external.observes };
  const own = Object.entries(stages ?? {}).map(([stage, p]) => [stage, `${p.name} ${p.version}`]);
  const fields = Object.entries({ ...env.params, ...env.text, ...outside, ...rest, ...Object.fromEntries(own) }).map(([name, value]) => `${name}=${oneLine(String(value))}`);
  const parent = detail.ancestors.at(-1);
  const of = label(detail);
  return (
    <Panel id="about" title="Spec" command={command("show", label(detail))} files={{ name: label(detail), json: detail }}>
      <p class="spec">
        <code>env={env.name}</code> {fields.map((f) => [<code key={f}>{f}</code>, " "])}
        {data !== undefined && <code>data=<Digest text={String(data)} /></code>}
      </p>
      <Facts
        facts={[
          ["run", <Digest text={detail.run} />],
          ["head", <Digest text={detail.head} />],
          ...(detail.reading ? [["reading", <a href={`/?${parameters("q", [term("reading", detail.reading)])}`}>{detail.reading}</a>] as [string, preact.ComponentChildren]] : []),
          ["iterations", `${detail.iterations} of ${detail.target}`],
          ["created", `${moment(detail.created)} UTC`],
          ...(parent ? [["fork of", <a href={runLink(parent.run)}>{`${parent.run.slice(0, 7)}:${parent.until}`}</a>] as [string, preact.ComponentChildren]] : []),
          ...(detail.places ?? []).map((p) => [`study ${p.study}`, <a href={studyLink(p.study)}>{`${p.variant} in ${p.setting}`}</a>] as [string, preact.ComponentChildren]),
          ...(detail.sessions.length ? [["sessions", String(detail.sessions.length)] as [string, string]] : []),
        ]}
      />
      <Facts
        long
        facts={[
          ["name", <Written text={detail.name || none} change={[of, "--name", "NAME"]} />],
          ...detail.tags.map((tag) => ["tag", <Written text={tag} change={[of, "--untag", tag]} />] as [string, preact.ComponentChildren]),
          ["tags", <Written text={detail.tags.length ? "one more" : none} change={[of, "--tag", "TAG"]} />],
          ["note", <Written text={detail.note || none} change={[of, "--note", "TEXT"]} />],
        ]}
      />
      {detail.proves && <p>The head proves: {detail.proves}.</p>}
    </Panel>
  );
}
