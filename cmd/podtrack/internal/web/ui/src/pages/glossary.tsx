import { useAnswer } from "../api";
import { Shown } from "../parts/states";
import { set } from "../router";
import type { Section } from "../types";

/** Glossary has every word and column, or those that a text is found in. */
export function Glossary({ query }: { query: URLSearchParams }) {
  const answer = useAnswer<Section[]>("/api/glossary", undefined, undefined, "");
  const find = query.get("find") ?? "";
  return (
    <>
      <h1>Glossary</h1>
      <p>
        <input
          type="search"
          data-filter
          aria-label="find a word"
          placeholder="find a word"
          value={find}
          onInput={(event) => set({ find: event.currentTarget.value || null })}
        />
      </p>
      <Shown answer={answer} what="the glossary">
        {(sections) => <>{matching(sections, find.toLowerCase()).map(Words)}</>}
      </Shown>
    </>
  );
}

/** matching leaves the entries whose word, or else meaning, has the text. */
function matching(sections: Section[], text: string): Section[] {
  const found = (of: "word" | "meaning") =>
    sections.map((s) => ({ ...s, entries: s.entries.filter((e) => e[of].toLowerCase().includes(text)) })).filter((s) => s.entries.length > 0);
  const words = found("word");
  return words.length > 0 ? words : found("meaning");
}

function Words({ title, entries }: Section) {
  return (
    <section class="panel" key={title} aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <dl class="pairs">
        {entries.map((e) => (
          <div key={e.word}>
            <dt>
              <b>{e.word}</b>
            </dt>
            <dd>{e.meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
