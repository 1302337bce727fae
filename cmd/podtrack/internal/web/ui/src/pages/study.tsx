import { heavyPause, useSteady } from "../api";
import { command } from "../command";
import { term } from "../filter";
import { none, num } from "../format";
import { runLink, studyLink } from "../links";
import { decimals, labelOf } from "../measure";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { judged, Printed } from "../parts/printed";
import { Rows, type Column } from "../parts/table";
import { Shown } from "../parts/states";
import { address } from "../router";
import type { ListedStudy } from "../types";
import type { Study, StudySection, StudySetting } from "../types-compare";
import { Curves } from "./curves";
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
      {study.state.map((line) => (
        <p class="note">{line}</p>
      ))}
      {study.complete < study.planned && <Missing study={study} />}
      {!here ? (
        <p class="empty">No run of this study has begun. podtrack sweep with its file makes the runs, and they appear here.</p>
      ) : (
        <>
          {study.sections.map((section, i) => (
            <Section key={section.title} section={section} study={study} own={own} overall={i < study.sections.length - 1} />
          ))}
          {study.settings.length > 1 && (
            <nav class="parts tabs" aria-label="settings">
              {study.settings.map((s) => (
                <a key={text(s)} href={address(studyLink(study.study), new URLSearchParams({ setting: text(s) }))} aria-current={s === here ? "page" : undefined}>
                  {text(s)}
                </a>
              ))}
            </nav>
          )}
          <Curves of={[own, term("setting", here.name)]} by="variant" measure={here.outcome} query={query} />
          <Seeds setting={here} />
          <RunsView query={query} of={{ q: [own, term("setting", here.name)], first: here.outcome, group: "variant", labels: Object.fromEntries(here.variants.map((v) => [v.name, text(v)])) }} />
        </>
      )}
    </>
  );
}

/** Missing is how far the study is, cell by cell. */
function Missing({ study }: { study: Study }) {
  const cells = study.progress.filter((c) => c.complete < c.planned);
  return (
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
  );
}

/** Section is what podtrack compare prints of the comparisons over settings, or of those in each. */
function Section({ section, study, own, overall }: { section: StudySection; study: Study; own: string; overall: boolean }) {
  const figure = { name: "outcomes", of: [own], flags: overall ? { overall: "true" } : undefined };
  return (
    <Panel id={overall ? "overall" : "outcomes"} title={section.title} command={command("compare", own, ...(overall ? ["--overall"] : []))} files={{ name: study.study, json: study }} figure={figure}>
      {section.verdicts.map((line) => (
        <p>{judged(line)}</p>
      ))}
      <Plotted figure={figure} />
      <Printed label={section.title} table={section.table} />
      <p class="note">{section.note}</p>
    </Panel>
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
