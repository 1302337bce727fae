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

export async function answer(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { signal });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Failure(0, "the server does not answer", "start podtrack serve again and open the address that it prints");
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  throw new Failure(response.status, told.error ?? `the server answered ${response.status}`, told.remedy ?? "");
}

export async function json<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await answer(path, signal)).json();
}
