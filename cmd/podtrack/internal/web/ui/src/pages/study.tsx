import { heavyPause, useSteady } from "../api";
import { command } from "../command";
import { term } from "../filter";
import { none, num, plural } from "../format";
import { parameters, runLink, studyLink } from "../links";
import { decimals, digitsOf, labelOf, titleOf } from "../measure";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { Rows, type Column } from "../parts/table";
import { Shown } from "../parts/states";
import { address } from "../router";
import type { ListedStudy } from "../types";
import type { Against, Study, StudySetting, StudyVariant } from "../types-compare";
import { interval, meanOf, pValue } from "./compared";
import { Curves } from "./curves";
import { Plans } from "./plans";
import { RunsView } from "./runs";

/** StudyView shows a study: what is missing, the verdict, the outcomes, and of one setting the curves and the runs. */
export function StudyView({ name, studies, query }: { name: string; studies: ListedStudy[]; query: URLSearchParams }) {
  const answer = useSteady<Study>(`/api/study?${new URLSearchParams({ name })}`, undefined, heavyPause);
  return (
    <>
      <h1>{studies.find((s) => s.study === name)?.title || name}</h1>
      {studies.length > 1 && (
        <nav class="parts tabs" aria-label="studies">
          {studies.map((s) => (
            <a key={s.study} href={studyLink(s.study)} aria-current={s.study === name ? "page" : undefined}>
              {s.study}
            </a>
          ))}
        </nav>
      )}
      <Shown answer={answer} what="the study">
        {(study) => <Page study={study} query={query} />}
      </Shown>
    </>
  );
}

const text = (named: { name: string; label?: string }) => named.label || named.name;

function Page({ study, query }: { study: Study; query: URLSearchParams }) {
  const here = study.settings.find((s) => text(s) === query.get("setting")) ?? study.settings[0];
  const own = term("study", study.study);
  return (
    <>
      <p class="note">
        Study {study.study}: {study.complete} of {plural(study.planned, "run")} complete, seeds {study.seeds}, {plural(study.iterations, "iteration")} each
        {study.registered && `; registered with digest ${study.digest.slice(0, 12)}`}.
      </p>
      {study.complete < study.planned && <Missing study={study} own={own} />}
      {!here ? (
        <p class="empty">No run of this study has begun. podtrack sweep with its file makes the runs, and they appear here.</p>
      ) : (
        <>
          <Panel id="verdict" title="Verdict">
            {study.settings.map((s) => baselinesOf(study).map((b) => <Verdict key={`${text(s)} ${b}`} study={study} setting={s} baseline={b} />))}
          </Panel>
          <Outcomes study={study} own={own} />
          {study.settings.length > 1 && (
            <nav class="parts tabs" aria-label="settings">
              {study.settings.map((s) => (
                <a key={text(s)} href={address(studyLink(study.study), new URLSearchParams({ setting: text(s) }))} aria-current={s === here ? "page" : undefined}>
                  {text(s)}
                </a>
              ))}
            </nav>
          )}
          <Curves of={[own, term("setting", here.name)]} flags={{ by: "variant" }} measure={here.outcome} query={query} />
          <Seeds setting={here} />
          <RunsView query={query} of={{ q: [own, term("setting", here.name)], first: here.outcome, group: "variant", labels: Object.fromEntries(here.variants.map((v) => [v.name, text(v)])) }} />
        </>
      )}
    </>
  );
}

/** Missing is how far the study is, cell by cell. */
function Missing({ study, own }: { study: Study; own: string }) {
  const cells = study.progress.filter((c) => c.complete < c.planned);
  return (
    <>
      <Plans q={[own]} />
      <details>
        <summary>what is missing</summary>
        <ul>
          {cells.map((c) => (
            <li key={`${c.setting} ${c.variant}`}>
              {c.setting}, {c.variant}: {c.complete} of {c.planned} complete{c.incomplete > 0 && `, ${c.incomplete} begun`}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

/** baselinesOf are the variants that others are compared with. */
const baselinesOf = (study: Study) => (study.all_pairs ? study.settings[0]!.variants.slice(0, -1).map((v) => v.name) : study.baselines);

/** outcomeOf says what is compared. */
function outcomeOf(study: Study, setting: StudySetting): string {
  const last = study.iterations - 1;
  return `${titleOf(setting.outcome)}${setting.over === "mean" && last > 1 ? `, mean over iterations 1 to ${last}` : ` in iteration ${last}`}`;
}

const words = ["better", "worse", "not settled", "not tested"];

/** judged is what a verdict means: more is better, unless a lower outcome is. */
const judged = (a: Against, setting: StudySetting) => (/^(more|less)$/.test(a.verdict) ? words[Number((a.verdict === "less") !== !!setting.lower)]! : a.verdict);

/** Verdict says of a setting which variants are better and worse than a baseline. */
function Verdict({ study, setting, baseline }: { study: Study; setting: StudySetting; baseline: string }) {
  const of = setting.variants.flatMap((v) => v.against.filter((a) => a.baseline === baseline).map((a) => ({ v, a, word: judged(a, setting) })));
  if (of.length === 0) return null;
  const digits = digitsOf(setting.outcome);
  return (
    <p>
      <b>{text(setting)}</b> ({outcomeOf(study, setting)}), compared with {text(setting.variants.find((v) => v.name === baseline)!)}:{" "}
      {words
        .map((word) => ({ word, found: of.filter((o) => o.word === word) }))
        .filter(({ found }) => found.length > 0)
        .map(({ word, found }, i) => (
          <>
            {i > 0 && "; "}
            <b class={`judged ${word}`}>{word}</b>:{" "}
            {found.map(({ v, a }) => text(v) + (a.difference && i < 2 && /better|worse/.test(word) ? ` (${a.difference.value > 0 ? "+" : ""}${num(a.difference.value, digits)}, p ${pValue(a.p_adjusted)})` : "")).join(", ")}
          </>
        ))}
      .
    </p>
  );
}

/** Outcomes is a table of what the variants came to in each setting. */
function Outcomes({ study, own }: { study: Study; own: string }) {
  const several = study.all_pairs || study.baselines.length > 1;
  const figure = { name: "outcomes", of: [own] };
  const adjusted = study.correction === "holm" ? `adjusted for ${plural(study.comparisons, "comparison")} (Holm)` : "not adjusted";
  return (
    <Panel id="outcomes" title="Outcomes" command={command("compare", own)} files={{ name: study.study, json: study }} figure={figure}>
      <Plotted figure={figure} />
      <table class="wraps" aria-label="outcomes by setting and variant">
        <thead>
          <tr>
            <th scope="col">variant (runs)</th>
            <th scope="col" class="right">mean [{num(100 * study.level)} %]</th>
            <th scope="col" class="right wide">IQM</th>
            <th scope="col" class="right">difference [{num(100 * study.each_level, 2).replace(/\.?0+$/, "")} %]</th>
            <th scope="col" class="right wide">P(more)</th>
            <th scope="col" class="right">p</th>
          </tr>
        </thead>
        {study.settings.map((s) => (
          <tbody key={text(s)}>
            <tr class="group">
              <th scope="rowgroup" colSpan={6}>
                {text(s)}: {outcomeOf(study, s)}
              </th>
            </tr>
            {s.variants.flatMap((v) => (v.against.length ? v.against : [undefined]).map((a, i) => <Outcome key={`${v.name} ${i}`} v={v} a={a} first={i === 0} setting={s} several={several} own={own} />))}
          </tbody>
        ))}
      </table>
      <p class="note">
        IQM: mean of the middle half of the runs. Difference: from the baseline, of runs with the same seed if two are shared. P(more): a run has more than one of the baseline. p: of the t-test, {adjusted}. Better, worse: p is at most 0.05, and the
        interval excludes 0.
      </p>
    </Panel>
  );
}

function Outcome({ v, a, first, setting, several, own }: { v: StudyVariant; a?: Against; first: boolean; setting: StudySetting; several: boolean; own: string }) {
  const digits = digitsOf(setting.outcome);
  const baseline = a && setting.variants.find((b) => b.name === a.baseline)!;
  return (
    <tr>
      <th scope="row">
        {first && (
          <>
            <a href={`/?${parameters("q", [own, term("setting", setting.name), term("variant", v.name)])}`}>{text(v)}</a> ({v.n})
          </>
        )}
      </th>
      <td class="right">{first && meanOf(v, digits)}</td>
      <td class="right wide">{first && num(v.iqm, digits)}</td>
      <td class="right">
        {a && interval(a.difference, digits)} {several && baseline && <span class="note">from {text(baseline)}</span>}
      </td>
      <td class="right wide">{a && num(a.improvement?.value, 2)}</td>
      <td class="right">
        {a && baseline && (
          <>
            {pValue(a.p_adjusted)} <span class={`judged ${judged(a, setting)}`}>{judged(a, setting)}</span>
          </>
        )}
      </td>
    </tr>
  );
}

const odd = 2; // standard deviations from the mean, from which on an outcome stands out

/** Seeds has the outcome of each seed by variant; those far from their mean stand out. */
function Seeds({ setting }: { setting: StudySetting }) {
  const digits = decimals(setting.variants.flatMap((v) => v.outcomes.map((o) => o.value)));
  const seeds = [...new Set(setting.variants.flatMap((v) => v.outcomes.map((o) => o.seed)))].sort((a, b) => Number(a) - Number(b)).map((seed) => ({ seed }));
  const columns = setting.variants.map((v): Column<(typeof seeds)[0]> => {
    const of = ({ seed }: (typeof seeds)[0]) => v.outcomes.find((o) => o.seed === seed);
    return {
      key: v.name,
      title: text(v),
      right: true,
      width: Math.max(9, text(v).length + 3),
      sort: (seed) => of(seed)?.value ?? null,
      cell: (seed) => {
        const o = of(seed);
        const Shown = o?.value != null && Math.abs(o.value - v.mean!) > odd * v.sd! ? "b" : "span";
        return o ? <a href={runLink(o.run)} title={o.name || o.run}><Shown>{num(o.value, digits)}</Shown></a> : none;
      },
    };
  });
  return (
    <Panel id="seeds" title="By seed" aside={`${labelOf(setting.outcome)}; bold: more than ${odd} standard deviations from the mean of its variant`}>
      <Rows label="outcomes by seed and variant" columns={[{ key: "seed", title: "seed", right: true, width: 7, cell: ({ seed }) => seed }, ...columns]} rows={seeds} />
    </Panel>
  );
}
