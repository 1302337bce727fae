import { useEffect, useMemo } from "preact/hooks";
import { useAnswer, useSteady } from "../api";
import { command } from "../command";
import { Bars } from "../parts/bars";
import { shades, spoken } from "../parts/map";
import { MapView } from "../parts/mapview";
import { readFloats } from "../parts/small";
import { Facts, Panel, Parts, Path } from "../parts/panel";
import { usePlane } from "../parts/plane";
import { Failed, Shown, Stage } from "../parts/states";
import { num, short, sigma, whole } from "../format";
import { compareLink, iterationPath, lineageLink, name, numbered, optionLink, runLink } from "../links";
import { go, useAnchor } from "../router";
import { useStages } from "../stages";
import type { OptionDetail } from "../types";
import type { Why } from "../types-compare";
import { Landscape, type Acts } from "./landscape";
import { Causes } from "./causes";

/** NumberedOption leads to the option that has the number. */
export function NumberedOption({ run, number }: { run: string; number: string }) {
  const answer = useAnswer<OptionDetail>(`/api/runs/${encodeURIComponent(run)}/options/${number}`);
  const found = answer.data;
  useEffect(() => found && go(optionLink(run, found.k, name(found.purpose.j, found.purpose.sign)), true), [found]);
  return (
    <Shown answer={answer} what="the option">
      {() => null}
    </Shown>
  );
}

/** OptionView shows what an option is, does, and comes from. */
export function OptionView({ run, k, j, query }: { run: string; k: number; j: string; query: URLSearchParams }) {
  const path = `${encodeURIComponent(run)}/iterations/${k}/options/${encodeURIComponent(j)}`;
  const read = useSteady<OptionDetail>(`/api/runs/${path}`);
  const plane = usePlane(run, read.data);
  const answer = useMemo(() => ({ ...read, data: read.data && { ...read.data, plan: plane.plan ?? null } }), [read.data, read.error, plane.plan]);
  const state = query.get("state");
  const acts = useSteady<Acts>(`/api/runs/${path}/acts${state === null ? "" : `?state=${encodeURIComponent(state)}`}`);
  const why = useStages<Why>(answer.data ? `/api/runs/${path}/why/stages` : null);
  return (
    <Shown answer={answer} what="the option">
      {(option) => (
        <>
          <Path to={[[option.option.split(":")[0]!, runLink(run)], iterationPath(run, k)]} />
          <h1>
            Option {numbered(`${k}/${j}`, option.number)}
          </h1>
          <p>{acts.data?.text}</p>
          <Parts of={["purpose", "landscape", "evidence", "sources", "ancestors", "chain"]}>
            <a href={`${lineageLink(run)}?option=${encodeURIComponent(`${k}/${j}`)}`}>lineage</a>
            <a href={compareLink(option.option, "")}>compare with …</a>
          </Parts>
          <Purpose option={option} why={why.data} path={path} />
          {plane.error && <Failed error={plane.error} />}
          <Landscape option={option} path={path} state={state} states={query.get("states")} acts={acts} />
          <Stage of={why} what="where the option comes from" />
          {why.data && <Causes why={why.data} known={why.known} run={run} features={option.features} />}
        </>
      )}
    </Shown>
  );
}

function Purpose({ option, why, path }: { option: OptionDetail; why?: Why; path: string }) {
  useAnchor();
  const w = useSteady<Float64Array>(option.plan ? `/api/runs/${path}/potential` : null, readFloats);
  const { purpose, certificate: c } = option;
  const p = why?.purpose;
  const csv = { head: ["feature", "weight"], rows: option.features.map((f, i) => [f, purpose.vector[i]]) };
  return (
    <Panel id="purpose" title="Eigenpurpose" command={command("why", option.option)} files={{ name: option.option.replace(/[:/]/g, "-"), json: option, csv }}>
      <div class="halves">
        {option.plan ? <Shown answer={w}  what="the purpose">{(w) => <Potential option={option} w={w} />}</Shown> : <Bars features={option.features} vectors={[purpose.vector]} labels={["weight"]} />}
        <div>
          <Facts
            facts={[
              ["σ", sigma(purpose.sigma)],
              ...(p ? ([[p.margin < 0 ? "below κ" : "above κ", `${sigma(Math.abs(p.margin))} (κ ${short(p.kappa)})`]] as [string, string][]) : []),
              ...(p ? ([["gaps", `${sigma(p.gap_above)} to the next larger σ, ${sigma(p.gap_below)} to the next smaller; with a small gap the data leave the direction open`]] as [string, string][]) : []),
              ...(p ? ([["basis", p.basis]] as [string, string][]) : []),
              ["starts in", `${whole(c.initiation)} of ${whole(option.states)} states`],
              ["mean steps", `${num(c.reach, 1)} to termination over I`],
              ["longest path", c.longest ? `${whole(c.longest)} steps` : "–"],
              ["termination", `${c.termination}${c.acyclic ? ", no cycle" : ""}${c.null ? ", null" : ""}`],
            ]}
          />
          {option.plan && (
            <details>
              <summary>weights of the features</summary>
              <Bars features={option.features} vectors={[purpose.vector]} labels={["weight"]} />
            </details>
          )}
          {p?.warnings.map((w) => (
            <p key={w} class="note">
              note: {w}
            </p>
          ))}
        </div>
      </div>
    </Panel>
  );
}

/** Potential is what the purpose is worth where, on a map. */
function Potential({ option, w }: { option: OptionDetail; w: Float64Array }) {
  const plan = option.plan!;
  const most = w.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  return <MapView plan={plan} drawing={{ shade: shades(w) }} label="w over the map, whose differences the option is rewarded by" tell={(s) => `${spoken(plan, s)}: w ${short(w[s])}`} ramp={[`w ${short(-most)}`, short(most), true]} />;
}
