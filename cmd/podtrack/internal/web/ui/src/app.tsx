import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, useAnswer, useSteady } from "./api";
import { useLive, useLocked } from "./events";
import { Glossary } from "./pages/glossary";
import { RunsView } from "./pages/runs";
import { Help, Share } from "./parts/help";
import { Empty, Failed } from "./parts/states";
import { go, usePlace, type Place } from "./router";
import { choose, useTheme, type Theme } from "./theme";
import type { ListedStudy, Version } from "./types";

export function App() {
  const place = usePlace();
  const help = useRef<HTMLDialogElement>(null);
  const share = useRef<HTMLDialogElement>(null);
  const [command, print] = useState<string>(); // that of what is shared
  const onShare = () => {
    print(document.querySelector("main .command code")?.textContent);
    share.current?.showModal();
  };
  const store = useAnswer<Version>("/api/version", undefined, undefined, "").data?.store;
  const known = useSteady<ListedStudy[]>("/api/studies", undefined, studiesPause);
  const studies = known.error ? [] : known.data;
  useTitle(store);
  useEffect(() => {
    const press = (event: KeyboardEvent) => shortcut(event, help.current, onShare);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        to the content
      </a>
      <Bar place={place} studies={!!studies?.length} store={store} onHelp={() => help.current?.showModal()} onShare={onShare} />
      <main id="main" tabIndex={-1}>
        <Lock />
        <View {...place} studies={studies} />
      </main>
      <Help dialog={help} />
      <Share dialog={share} command={command} />
    </>
  );
}

/** useTitle calls the tab, and with it bookmarks and the history, what the heading of the view says. */
function useTitle(store?: string): void {
  useEffect(() => {
    const main = document.getElementById("main")!;
    const title = () => {
      const heading = main.querySelector("h1")?.textContent.trim();
      if (heading) document.title = [heading, main.querySelector('.path a[href*="/run/"]')?.textContent, store, "podtrack"].filter(Boolean).join(" · ");
    };
    const watch = new MutationObserver(title);
    watch.observe(main, { childList: true, subtree: true, characterData: true });
    title();
    return () => watch.disconnect();
  }, [store]);
}

/** shortcut serves the keys that work everywhere. */
function shortcut(event: KeyboardEvent, help: HTMLDialogElement | null, onShare: () => void): void {
  const field = (event.target as Element).closest?.("input, select, textarea") as HTMLElement | null;
  if (event.key === "Escape" && field) return field.blur();
  if (field || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const filter = document.querySelector<HTMLInputElement>("[data-filter]");
  if (event.key === "/" && filter) {
    event.preventDefault();
    filter.focus();
    filter.select();
  }
  if (event.key === "?") help?.showModal();
  if (event.key === "s") onShare();
  if (event.key === "g") go("/glossary");
}

const studiesPause = 5000; // milliseconds: which studies there are seldom changes

interface Opened extends Place {
  studies: ListedStudy[] | undefined; // undefined: not known yet
}

const isList = (query: URLSearchParams) => ["q", "group", "columns"].some((name) => query.has(name));

const views: [RegExp, (place: Opened, parts: string[]) => preact.JSX.Element | null][] = [
  [/^\/$/, (p) => (isList(p.query) || p.studies?.length === 0 ? <RunsView query={p.query} /> : p.studies ? study(p, p.studies[0]!.study) : null)],
  [/^\/runs$/, (p) => <RunsView query={p.query} />],
  [/^\/study\/([^/]+)$/, (p, [name]) => study(p, name!)],
  [/^\/run\/([^/]+)$/, (p, [run]) => <Other draw={(v) => <v.RunView key={run} run={run!} query={p.query} />} />],
  [/^\/run\/([^/]+)\/option\/(\d+)\/([^/]+)$/, (p, [run, k, j]) => <Other draw={(v) => <v.OptionView key={p.path} run={run!} k={Number(k)} j={j!} />} />],
  [/^\/run\/([^/]+)\/option\/(\d+)$/, (p, [run, number]) => <Other draw={(v) => <v.NumberedOption key={p.path} run={run!} number={number!} />} />],
  [/^\/compare$/, (p) => <Other draw={(v) => <v.CompareView query={p.query} />} />],
  [/^\/group$/, (p) => <Other draw={(v) => <v.GroupView query={p.query} />} />],
  [/^\/glossary$/, (p) => <Glossary query={p.query} />],
];

const study = (p: Opened, name: string) => <Other draw={(v) => <v.StudyView key={name} name={name} studies={p.studies ?? []} query={p.query} />} />;

type Views = typeof import("./views");
let loaded: Views | undefined;

/** Other is a view with charts, whose part of the program is read when the first is opened. */
function Other({ draw }: { draw: (views: Views) => preact.JSX.Element }) {
  const [views, come] = useState(loaded);
  const [error, fail] = useState<Failure>();
  useEffect(() => {
    if (!views) load().then(come, () => fail(new Failure(0, "the rest of the page could not be read", "load it again once podtrack serve answers")));
  }, []);
  if (error) return <Failed error={error} />;
  return views ? draw(views) : null;
}

const load = async () => (loaded ??= await import("./views"));

/** ahead reads it while nothing else is to be done, so that a click need not wait. */
export function ahead(): void {
  setTimeout(() => void load().catch(() => undefined), 2000);
}

function View(place: Opened) {
  for (const [pattern, view] of views) {
    const found = pattern.exec(place.path);
    if (found) return view(place, found.slice(1).map(decode));
  }
  return (
    <Empty>
      <h1>There is no such page</h1>
      <p>
        <a href="/runs">All runs</a> are a good place to start from.
      </p>
    </Empty>
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const pages: [string, string][] = [
  ["/runs", "runs"],
  ["/compare", "compare"],
  ["/group", "purposes"],
  ["/glossary", "glossary"],
];

/** Lock says who has locked the store, and what to do; below it stands what was seen last. */
function Lock() {
  const locked = useLocked();
  return locked ? <Failed error={new Failure(503, locked.error, locked.remedy)} /> : null;
}

/** pageOf is the entry of the bar that a view belongs to. */
function pageOf({ path, query }: Place, studies: boolean): string {
  if (path.startsWith("/study/") || (path === "/" && studies && !isList(query))) return "/";
  return path === "/" || path.startsWith("/run/") ? "/runs" : path;
}

function Bar({ place, studies, store, onHelp, onShare }: { place: Place; studies: boolean; store?: string; onHelp: () => void; onShare: () => void }) {
  const live = useLive();
  return (
    <header class="bar">
      <a class="brand" href="/">
        podtrack
      </a>
      <nav aria-label="pages">
        {[...(studies ? [["/", "study"]] : []), ...pages].map(([to, name]) => (
          <a key={to} href={to} aria-current={to === pageOf(place, studies) ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <span class="store" title="the store that is shown">
        {store}
      </span>
      <span class={`link ${live}`} role="status" title={live === "not connected" ? "the server does not answer; trying again" : live === "live" ? "changes are shown as they come" : ""}>
        {live}
      </span>
      <button type="button" class="quiet" onClick={onShare}>
        share
      </button>
      <ThemeSwitch />
      <button type="button" class="quiet" onClick={onHelp} aria-label="help: keys and views">
        ?
      </button>
    </header>
  );
}

const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

function ThemeSwitch() {
  const { chosen } = useTheme();
  return (
    <button type="button" class="quiet" onClick={() => choose(next[chosen])} aria-label={`colours: ${chosen}; change to ${next[chosen]}`}>
      <span aria-hidden="true">{chosen === "system" ? "◐" : chosen === "light" ? "○" : "●"}</span> {chosen}
    </button>
  );
}
