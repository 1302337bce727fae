import { decimals, shortDigits } from "./decimals";

// Numbers as the command line prints them: a dash where there is none.

export const none = "–";

export function num(x: number | null | undefined, digits = 0): string {
  if (x === null || x === undefined || Number.isNaN(x)) return none;
  return (Math.abs(x) >= 1e15 ? x.toExponential(Math.max(digits, 3)) : x.toFixed(digits)).replaceAll("-", "−");
}

/** sigma is a singular value, or a difference of them. */
export const sigma = (x: number | null | undefined) => num(x, decimals.sigma);

/** short is a number of few significant digits. */
export function short(x: number | null | undefined): string {
  if (x === null || x === undefined || Number.isNaN(x)) return none;
  if (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6)) return x.toExponential(2).replaceAll("-", "−");
  return String(Number(x.toPrecision(shortDigits))).replace("-", "−");
}

export const percent = (x: number | null | undefined) => (x === null || x === undefined ? none : `${num(100 * x, 1)} %`);

const groups = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 9 });
export const whole = (x: number | null | undefined) => (x === null || x === undefined ? none : groups.format(x).replace("-", "−"));

const compact = new Intl.NumberFormat("en-GB", { notation: "compact" });

/** about is a whole number in few letters. */
export const about = (x: number) => compact.format(x);

export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit++) bytes /= 1000;
  return `${unit ? num(bytes, 1) : bytes} ${units[unit]}`;
}

/** seconds is a time that something took; 0 is one that was not measured. */
export function seconds(s: number | undefined): string {
  if (!s) return none;
  if (s < 1e-3) return `${num(1e6 * s, 0)} µs`;
  if (s < 1) return `${num(1e3 * s, 1)} ms`;
  if (s < 120) return `${num(s, 1)} s`;
  return s < 7200 ? `${num(s / 60, 1)} min` : `${num(s / 3600, 1)} h`;
}

/** moment is a time of the store, UTC as podtrack ls prints it. */
export const moment = (time: string) => time.slice(0, 19).replace("T", " ");

/** brief is the beginning of a text, with an ellipsis where it goes on: what shows it has the whole as its title. */
export const brief = (text: string, most: number) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

export function plural(n: number, word: string): string {
  return `${whole(n)} ${word}${n === 1 ? "" : "s"}`;
}
