import { useEffect } from "preact/hooks";
import { heavyPause, useAnswer, useSteady } from "../api";
import { command } from "../command";
import { Bars } from "../parts/bars";
import { Facts, Panel, Parts, Path } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Shown } from "../parts/states";
import { num, short, sigma, whole } from "../format";
import { compareLink, iterationPath, name, numbered, optionLink, runLink } from "../links";
import { go, useAnchor } from "../router";
import type { OptionDetail } from "../types";
import type { Why } from "../types-compare";
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
export function OptionView({ run, k, j }: { run: string; k: number; j: string }) {
  const path = `/api/runs/${encodeURIComponent(run)}/iterations/${k}/options/${encodeURIComponent(j)}`;
  const answer = useSteady<OptionDetail>(path);
  const why = useSteady<Why>(answer.data ? `${path}/why` : null, undefined, heavyPause);
  return (
    <Shown answer={answer} what="the option">
      {(option) => (
        <>
          <Path to={[[option.option.split(":")[0]!, runLink(run)], iterationPath(run, k)]} />
          <h1>
            Option {numbered(`${k}/${j}`, option.number)}
          </h1>
          <Parts of={["purpose", "policy", "evidence", "sources", "ancestors", "chain"]}>
            <a href={compareLink(option.option, "")}>compare with …</a>
          </Parts>
          <Purpose option={option} why={why.data} />
          <Panel id="policy" title="Value and policy over the states" command={command("why", option.option)} figure={figureOf(option.option)}>
            <Plotted figure={figureOf(option.option)} on={option.option} />
          </Panel>
          <Shown answer={why} what="where the option comes from">
            {(why) => <Causes why={why} run={run} features={option.features} />}
          </Shown>
        </>
      )}
    </Shown>
  );
}

/** figureOf is the figure of an option. */
export const figureOf = (option: string) => ({ name: "option", of: [option] });

function Purpose({ option, why }: { option: OptionDetail; why?: Why }) {
  useAnchor();
  const { purpose, certificate: c } = option;
  const p = why?.purpose;
  const csv = { head: ["feature", "weight"], rows: option.features.map((f, i) => [f, purpose.vector[i]]) };
  return (
    <Panel id="purpose" title="Eigenpurpose" command={command("why", option.option)} files={{ name: option.option.replace(/[:/]/g, "-"), json: option, csv }}>
      <div class="halves">
        <Bars features={option.features} vectors={[purpose.vector]} labels={["weight"]} />
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
