// A filter is written as on the command line: terms with blanks between them, and double quotes around a value that has
// blanks, commas or patterns in it. Quotes around a whole term are those of a shell.

const quoted = String.raw`(?<=[=<>~,])"(?:[^"\\]|\\.)*"`;
const single = String.raw`'(?:[^']|'\\'')*'?`; // '\'' is a quote within
const word = new RegExp(String.raw`(?:${quoted}|${single}|"[^"]*"?|[^\s'"])+`, "g");
const quotes = new RegExp(String.raw`(${quoted})|(${single})|"([^"]*)"?`, "g");

export function terms(text: string): string[] {
  const found = text.match(word) ?? [];
  return found.map((term) => term.replace(quotes, (_, value, single, double) => value ?? (single && single.slice(1).replace(/(?<!\\)'$/, "").replaceAll("'\\''", "'")) ?? double ?? ""));
}

/** written is what a box shows of terms, which reads as the same. */
export function written(words: string[]): string {
  const plain = (word: string) => terms(word).join(" ") === word && (terms(word).length === 1 || terms(word).every(isFilter));
  return words.map((word) => (plain(word) ? word : `'${word}'`)).join(" ");
}

// What means something else in a filter, and what is not shown: the server quotes the same (isSpecial in
// replay/report/format_term.go), but for ranges, which it quotes only where they are texts.
const special = /^=|[,*?"'\s]|[\p{C}\p{Z}]|^-?[\d.]+(?:e[+-]?\d+)?-[-\d.]/iu;

/** term selects the runs that have a value, whatever is in it. */
export const term = (field: string, value: string) => `${field}=${special.test(value) ? JSON.stringify(value) : value}`;

/** quote writes a word so that a shell reads it as it is. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export const phrase = (words: string[]) => words.map(quote).join(" ");

/** isFilter tells a filter from a reference, as the command line does. */
export const isFilter = (text: string) => /[=<>~]/.test(text);

/** groups are the selections of a text with semicolons between them. */
export const groups = (text: string) => (text.match(/(?:"(?:[^"\\]|\\.)*"|[^;"]|")+?(?=;|$)/g) ?? []).map((g) => g.trim()).filter((g) => g !== "");

/** search makes a term of a word that is none: a part of what people wrote about a run, or the beginning of its ID. */
export function search(word: string): string {
  if (/[=<>~]|^@\d+$/.test(word)) return word;
  return (/^[0-9a-f]{7,}$/.test(word) ? "run=" : "about~") + word;
}
