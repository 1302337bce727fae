import { base } from "./base";

// Asking the server.

/** Failure is an answer that is none: what failed, and how to mend it. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

/** answer is what the server answers; the status is 304 if it would be what has the tag. */
export async function answer(path: string, signal?: AbortSignal, tag?: string | null): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(base + path, { signal, headers: tag ? { "If-None-Match": tag } : {} });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Failure(0, "the server does not answer", "start podtrack serve again and open the address that it prints");
  }
  if (response.ok || response.status === 304) return response;
  const told = await response.json().catch(() => ({})); // of no numbers
  throw new Failure(response.status, told.error ?? `the server answered ${response.status}`, told.remedy ?? "");
}

const long = /(?:^|[[:,\s])-?\d{16}/;
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** parse reads JSON without loss: whole numbers that a number cannot hold exactly, such as seeds of 64 bits, become text. */
export function parse<T>(text: string): T {
  if (long.test(text)) text = text.replace(tokens, (t) => (/^-?\d{16,}$/.test(t) && !Number.isSafeInteger(Number(t)) ? `"${t}"` : t));
  return JSON.parse(text);
}

/** parsed reads the JSON of an answer. */
export const parsed = async <T>(response: Response): Promise<T> => parse<T>(await response.text());

export async function json<T>(path: string, signal?: AbortSignal): Promise<T> {
  return parsed<T>(await answer(path, signal));
}
