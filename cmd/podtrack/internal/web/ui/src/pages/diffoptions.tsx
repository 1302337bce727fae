import { command } from "../command";
import { Bars } from "../parts/bars";
import { Facts, Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Specs } from "../parts/specs";
import { num, sigma, whole } from "../format";
import { numbered } from "../links";
import { Ref } from "./causes";
import { verdict } from "./diffruns";
import { figureOf } from "./option";
import type { OptionsDiff } from "../types-compare";

/** OptionsCompared sets two options side by side. */
export function OptionsCompared({ diff, a, b }: { diff: OptionsDiff; a: string; b: string }) {
  const { pair, chance } = diff;
  const csv = { head: ["feature", "a", "b"], rows: diff.features.map((f, i) => [f, diff.vector_a[i], diff.vector_b[i]]) };
  return (
    <>
      <Panel id="pair" title="Two options" aside={<span class={`verdict ${verdict(diff)}`}>{verdict(diff)}</span>} command={command("diff", a, b)} files={{ name: "diff-options", json: diff, csv }}>
        <div class="halves">
          <Side title="a" option={pair.a} number={pair.number_a} />
          <Side title="b" option={pair.b} number={pair.number_b} />
        </div>
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

function Side({ title, option, number }: { title: string; option: string; number: number | null }) {
  return (
    <figure class="side">
      <figcaption>
        {title}: <Ref name={option} number={number} />
      </figcaption>
      <Plotted figure={figureOf(option)} on={option} most={5} />
    </figure>
  );
}
