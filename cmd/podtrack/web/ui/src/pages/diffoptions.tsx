import { useMemo } from "preact/hooks";
import { useSteady } from "../api";
import { command } from "../command";
import { Bars } from "../parts/bars";
import { Legend } from "../parts/legend";
import { Facts, Panel } from "../parts/panel";
import type { Table } from "../parts/ring";
import { readTable, tablePath } from "../parts/small";
import { Specs } from "../parts/specs";
import { Shown } from "../parts/states";
import { ValueChart } from "../parts/valuechart";
import { num, short, whole } from "../format";
import { read, refLink, shown } from "../links";
import { place, shades } from "../parts/map";
import { MapView } from "../parts/mapview";
import type { World } from "../types";
import type { OptionsDiff } from "../types-compare";

/** OptionsCompared sets two options side by side. */
export function OptionsCompared({ diff, a, b }: { diff: OptionsDiff; a: string; b: string }) {
  const { pair, chance } = diff;
  const world = useSteady<World>(`/api/runs/${encodeURIComponent(read(pair.a)!.run)}/world`).data;
  const verdict = diff.identical ? "identical" : diff.equivalent ? "equivalent" : "different";
  const csv = { head: ["feature", "a", "b"], rows: diff.features.map((f, i) => [f, diff.vector_a[i], diff.vector_b[i]]) };
  return (
    <>
      <Panel id="pair" title="Two options" aside={<span class={`verdict ${verdict}`}>{verdict}</span>} command={command("diff", a, b)} files={{ name: "diff-options", json: diff, csv }}>
        <div class="halves">
          <Side title="a" option={pair.a} world={world} />
          <Side title="b" option={pair.b} world={world} />
        </div>
        {!world?.plan && <Legend actions={world?.actions ?? []} note="value over the states, below it the policy; drag in either to zoom both, double-click for all. From afar the line is the mean of the states of a pixel, below their largest value" />}
        <Facts
          long
          facts={[
            ["cos_M", `${num(pair.cosine, 4)}; chance level: mean |cos_M| ${num(chance.mean, 2)}, 95th percentile ${num(chance.p95, 2)}; same purpose from ${num(diff.threshold, 3)} on`],
            ["σ", `${num(pair.sigma_a, 4)} and ${num(pair.sigma_b, 4)}, change ${num(pair.sigma_b - pair.sigma_a, 4)}`],
            ["policy", `agrees in ${num(pair.policy_agreement, 4)} of the states of either I, ${num(pair.policy_agreement_ties, 4)} with ties`],
            ["initiation overlap", `Jaccard index ${num(pair.initiation_jaccard, 4)}`],
            ["same end state", `the same from ${num(pair.terminal_agreement, 4)} of those states`],
            ["values", `RMSE ${short(pair.value_rmse)}`],
            ["different", `in ${whole(pair.differing)} states`],
          ]}
        />
      </Panel>
      <Panel id="weights" title="Eigenpurposes">
        <Bars features={diff.features} vectors={[diff.vector_a, diff.vector_b]} labels={[`a: ${shown(pair.a)}`, `b: ${shown(pair.b)}`]} />
      </Panel>
      <Panel id="specs" title="Specs">
        <Specs differences={diff.spec} />
      </Panel>
    </>
  );
}

function Side({ title, option, world }: { title: string; option: string; world?: World }) {
  const at = read(option);
  const table = useSteady<Table>(at && tablePath(`${encodeURIComponent(at.run)}/iterations/${at.k}/options/${encodeURIComponent(at.j)}`), readTable);
  return (
    <figure class="side">
      <figcaption>
        {title}: <a href={refLink(option)!}>{shown(option)}</a>
      </figcaption>
      <Shown answer={table} what="values and policy">
        {(t) => world && (world.plan ? <SideMap title={title} world={world} table={t} /> : <OnAxis world={world} table={t} />)}
      </Shown>
    </figure>
  );
}

function OnAxis({ world, table }: { world: World; table: Table }) {
  const profile = useMemo(() => ({ label: "v", values: table.value, policy: table.policy }), [table]);
  return <ValueChart profile={profile} axis={world.axis} actions={world.actions.length} group="sides" height={230} />;
}

function SideMap({ title, world, table }: { title: string; world: World; table: Table }) {
  const plan = world.plan!;
  const tell = (s: number) => `${place(plan, s)}: v ${short(table.value[s])}, ${world.actions[table.policy[s]!] ?? "ends"}`;
  return <MapView plan={plan} drawing={{ shade: shades(table.value), policy: table.policy }} label={`value and policy of ${title} on the map`} tell={tell} ramp={["v 0", short(table.value.reduce((a, b) => Math.max(a, b), 0)), false]} />;
}
