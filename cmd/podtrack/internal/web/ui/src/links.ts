import { terms } from "./filter";

// Addresses of the page's views, and references as the command line writes them.

export const runLink = (run: string) => `/run/${encodeURIComponent(run)}`;
export const studyLink = (study: string) => `/study/${encodeURIComponent(study)}`;
/** iterationPath leads to the options of an iteration. */
export const iterationPath = (run: string, k: number): [string, string] => [`iteration ${k}`, `${runLink(run)}?of=${k}#options`];
export const name = (j: number, sign: number) => `${j}${sign < 0 ? "-" : "+"}`;
export const shown = (option: string) => option.replace(/-$/, "−");

/** numbered is an option's name with its number, by which commands know it, too. */
export const numbered = (option: string, number?: number | null) => shown(option) + (number == null ? "" : ` #${number}`);

export const optionLink = (run: string, k: number, j: string) =>
  `${runLink(run)}/option/${k}/${encodeURIComponent(j)}`;

/** read splits RUN:K/J± or K/J±; null where the text is no option's name. */
export function read(ref: string): { run: string; k: number; j: string } | null {
  const found = /^(?:(.+):)?(\d+)\/(\d+[+-])$/.exec(ref);
  return found && { run: found[1] ?? "", k: Number(found[2]), j: found[3]! };
}

/** optionAt is where RUN:#N or RUN:K/J± leads; undefined where the text is neither. */
export function optionAt(ref: string): string | undefined {
  const found = /^([^\s=<>~]+):(#\d+|\d+\/\d+[+−-])$/.exec(ref);
  return found ? `${runLink(found[1]!)}/option/${found[2]!.replace("#", "")}` : undefined;
}

export function compareLink(a: string, b: string): string {
  return `/compare?${new URLSearchParams({ a, b })}`;
}

/** parameters are a filter's terms as repeated parameters of one name. */
export function parameters(name: string, filter: string | string[]): string {
  const query = new URLSearchParams();
  for (const term of typeof filter === "string" ? terms(filter) : filter) query.append(name, term);
  return query.toString();
}
