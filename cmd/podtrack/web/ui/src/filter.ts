// A filter is written as on the command line: terms with blanks between them, and
// quotes around a term that has blanks in it.

export function terms(text: string): string[] {
  const found = text.match(/(?:[^\s'"]|'[^']*'?|"[^"]*"?)+/g) ?? [];
  return found.map((term) => term.replace(/'([^']*)'?|"([^"]*)"?/g, (_, single, double) => single ?? double ?? ""));
}

/** quote writes a word so that a shell reads it as it is. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export const phrase = (words: string[]) => words.map(quote).join(" ");

/** isFilter tells a filter from a reference, as the command line does. */
export const isFilter = (text: string) => text.includes("=");

/** search makes a term of a word that is none: a part of what people wrote about a run, or the beginning of its ID. */
export function search(word: string): string {
  if (/[=<>~]|^@\d+$/.test(word)) return word;
  return (/^[0-9a-f]{7,}$/.test(word) ? "run=" : "about~") + word;
}
