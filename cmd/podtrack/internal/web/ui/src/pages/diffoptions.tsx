import { useMemo } from "preact/hooks";
import { useSteady, type Answer } from "../api";
import { command } from "../command";
import { Bars } from "../parts/bars";
import { Legend } from "../parts/legend";
import { Facts, Panel } from "../parts/panel";
import type { Table } from "../parts/ring";
import { readTable, tablePath } from "../parts/small";
import { Specs } from "../parts/specs";
import { Shown } from "../parts/states";
import { ValueChart } from "../parts/valuechart";
import { num, short, sigma, whole } from "../format";
import { numbered, read } from "../links";
import { place, shades, spoken } from "../parts/map";
import { fold } from "../parts/plane";
import { MapView } from "../parts/mapview";
import { Ref } from "./causes";
import { verdict } from "./diffruns";
import type { World } from "../types";
import type { OptionsDiff } from "../types-compare";

/** OptionsCompared sets two options side by side. */
export function OptionsCompared({ diff, a, b }: { diff: OptionsDiff; a: string; b: string }) {
  const { pair, chance } = diff;
  const world = useSteady<World>(`/api/runs/${encodeURIComponent(read(pair.a)!.run)}/world`, undefined, undefined, "").data;
  const csv = { head: ["feature", "a", "b"], rows: diff.features.map((f, i) => [f, diff.vector_a[i], diff.vector_b[i]]) };
  return (
    <>
      <Panel id="pair" title="Two options" aside={<span class={`verdict ${verdict(diff)}`}>{verdict(diff)}</span>} command={command("diff", a, b)} files={{ name: "diff-options", json: diff, csv }}>
        <Sides pair={pair} world={world} />
        {!world?.plan && <Legend actions={world?.actions ?? []} note="value over the states, below it the policy; drag in one to zoom all, double-click for all states. From afar the line is the mean of the states of a pixel, below their largest value" />}
        <Facts
          long
          facts={[
            ["cos_M", `${num(pair.cosine, 3)}; chance level: mean |cos_M| ${num(chance.mean, 2)}, 95th percentile ${num(chance.p95, 2)}; same purpose from ${num(diff.threshold, 3)} on`],
            ["σ", `${sigma(pair.sigma_a)} and ${sigma(pair.sigma_b)}, change ${sigma(pair.sigma_b - pair.sigma_a)}`],
            ["policy", `agrees in ${num(pair.policy_agreement, 3)} of the states of either I, ${num(pair.policy_agreement_ties, 3)} with ties`],
            ["initiation overlap", `Jaccard index ${num(pair.initiation_jaccard, 3)}`],
            ["same end state", `the same from ${num(pair.terminal_agreement, 3)} of those states`],
            ["values", `RMSE ${num(pair.value_rmse, 3)}`],
            ["different", `in ${whole(pair.differing)} states`],
          ]}
        />
      </Panel>
      <Panel id="weights" title="Eigenpurposes">
        <Bars features={diff.features} vectors={[diff.vector_a, diff.vector_b]} labels={[`a: ${numbered(pair.a, pair.number_a)}`, `b: ${numbered(pair.b, pair.number_b)}`]} />
      </Panel>
      <Panel id="specs" title="Specs">
        <Specs differences={diff.spec} />
      </Panel>
    </>
  );
}

const useTable = (option: string) => {
  const { run, k, j } = read(option)!;
  return useSteady<Table>(tablePath(`${encodeURIComponent(run)}/iterations/${k}/options/${encodeURIComponent(j)}`), readTable);
};

const largest = (values: Float64Array) => values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);

/** Sides are both options on one scale, and what b adds to the value of a; states in which they act differently are outlined. */
function Sides({ pair, world }: { pair: OptionsDiff["pair"]; world?: World }) {
  const [x, y] = [useTable(pair.a), useTable(pair.b)];
  const [a, b] = [x.data, y.data];
  const most = useMemo(() => Math.max(...[a, b].map((t) => (t ? largest(t.value) : 0))), [a, b]);
  const delta = useMemo(() => a && b && { label: "Δv", values: b.value.map((v, s) => v - (a.value[s] ?? 0)) }, [a, b]);
  const plan = useMemo(() => world && (world.plan ?? fold(world.axis, world.states)), [world]);
  const differs = (s: number) => a?.policy[s] !== b?.policy[s];
  const does = (t: Table, s: number) => world!.actions[t.policy[s]!] ?? "ends";
  const shared = { world, most, differs };
  return (
    <div class="halves">
      <Side title="a" option={pair.a} number={pair.number_a} answer={x} {...shared} />
      <Side title="b" option={pair.b} number={pair.number_b} answer={y} {...shared} />
      {a && b && delta && world && (
        <figure class="side">
          <figcaption>Δv: b − a</figcaption>
          {plan ? (
            <MapView
              plan={plan}
              drawing={{ shade: shades(delta.values), outlined: differs }}
              label="difference of the values, with states outlined in which the options act differently"
              tell={(s) => `${spoken(plan, s)}: Δv ${short(delta.values[s])}, a ${does(a, s)}, b ${does(b, s)}`}
              ramp={[short(-largest(delta.values)), short(largest(delta.values)), true]}
            />
          ) : (
            <ValueChart profile={delta} axis={world.axis} actions={world.actions.length} group="sides" height={230} />
          )}
        </figure>
      )}
    </div>
  );
}

interface Shared {
  world?: World;
  most: number; // of the values of both
  differs: (state: number) => boolean;
}

function Side({ title, option, number, answer, ...shared }: { title: string; option: string; number: number | null; answer: Answer<Table> } & Shared) {
  return (
    <figure class="side">
      <figcaption>
        {title}: <Ref name={option} number={number} />
      </figcaption>
      <Shown answer={answer} what="values and policy">
        {(t) => shared.world && (shared.world.plan ? <SideMap title={title} table={t} {...shared} /> : <OnAxis table={t} {...shared} />)}
      </Shown>
    </figure>
  );
}

function OnAxis({ world, table, most }: { table: Table } & Shared) {
  const profile = useMemo(() => ({ label: "v", values: table.value, policy: table.policy, most }), [table, most]);
  return <ValueChart profile={profile} axis={world!.axis} actions={world!.actions.length} group="sides" height={230} />;
}

function SideMap({ title, world, table, most, differs }: { title: string; table: Table } & Shared) {
  const plan = world!.plan!;
  const tell = (s: number) => `${place(plan, s)}: v ${short(table.value[s])}, ${world!.actions[table.policy[s]!] ?? "ends"}`;
  return <MapView plan={plan} drawing={{ shade: (s) => table.value[s]! / (most || 1), policy: table.policy, outlined: differs }} label={`value and policy of ${title} on the map`} tell={tell} ramp={["v 0", short(most), false]} />;
}
