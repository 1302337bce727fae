import { useEffect, useState } from "preact/hooks";

// Light or dark: as the system says, unless the reader chose. ?theme=dark chooses
// for one visit.

export type Theme = "system" | "light" | "dark";

const key = "podtrack-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
let system = dark.matches; // read once: Chromium tells nothing of a change that a later reading has seen
const watchers = new Set<() => void>();
let chosen: Theme = "system";
let printing = false; // paper is light

function isTheme(text: string | null): text is Theme {
  return text === "system" || text === "light" || text === "dark";
}

/** start applies the choice before anything is drawn. */
export function start(): void {
  const asked = new URLSearchParams(location.search).get("theme");
  const kept = localStorage.getItem(key);
  chosen = isTheme(asked) ? asked : isTheme(kept) ? kept : "system";
  apply();
  dark.addEventListener("change", (event) => {
    system = event.matches;
    apply();
  });
  for (const event of ["beforeprint", "afterprint"])
    addEventListener(event, () => {
      printing = event === "beforeprint";
      apply();
    });
}

function apply(): void {
  document.documentElement.dataset.theme = resolved();
  for (const watch of watchers) watch();
}

export function resolved(): "light" | "dark" {
  return printing ? "light" : chosen === "system" ? (system ? "dark" : "light") : chosen;
}

export function choose(theme: Theme): void {
  chosen = theme;
  localStorage.setItem(key, theme);
  apply();
}

/** useTheme gives the choice, and what it comes to, and whether it is for paper. */
export function useTheme(): { chosen: Theme; resolved: "light" | "dark"; printing: boolean } {
  const [, again] = useState(0);
  useEffect(() => {
    const watch = () => again((n) => n + 1);
    watchers.add(watch);
    watch();
    return () => void watchers.delete(watch);
  }, []);
  return { chosen, resolved: resolved(), printing };
}
