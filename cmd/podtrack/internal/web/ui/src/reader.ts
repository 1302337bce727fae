import { answer, type Failure } from "./request";

// Reading one path again and again.

export type Read<T> = (response: Response) => Promise<T>;

export interface Told<T> {
  data?: T;
  error?: Failure;
}

/**
 * Reader reads a path when it is told to, one answer at a time: being told to while
 * it reads has it read once more, so that an answer which takes long comes in the
 * end although the store changes every second. What is as it was, by its ETag, the
 * server does not compute, and it is not told again. At least four fifths of the time
 * it does not read, so that watching a long run hardly slows it.
 */
export class Reader<T> {
  private abort = new AbortController();
  private tag: string | null = null;
  private busy = false;
  private due = false;
  private told = false;
  private rest = 0; // milliseconds for an answer that took long
  private next = -Infinity; // when it may ask again
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private path: string,
    private read: Read<T>,
    private pause: number, // milliseconds at least from one answer to the next question
    private tell: (told: Told<T>) => void,
  ) {}

  ask(): void {
    if (this.busy) this.due = true;
    else this.timer ??= setTimeout(() => this.go(), Math.max(0, this.next - performance.now()));
  }

  /** begin asks at once. */
  begin(): void {
    this.go();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  private go(): void {
    this.timer = undefined;
    this.busy = true;
    this.due = false;
    this.rest = 0;
    this.question()
      .catch((error) => {
        if (this.abort.signal.aborted) return;
        if (error.status === 503) this.due = true; // of a store that is locked: what was told stays, and is asked for again
        if (error.status === 503 && this.told) return;
        this.tag = null;
        this.tell({ error });
      })
      .finally(() => {
        this.busy = false;
        this.next = performance.now() + Math.max(this.pause, this.rest);
        if (this.due && !this.abort.signal.aborted) this.ask();
      });
  }

  private async question(): Promise<void> {
    const begun = performance.now();
    const response = await answer(this.path, this.abort.signal, this.tag);
    if (response.status === 304) return;
    const data = await this.read(response);
    this.rest = 4 * (performance.now() - begun);
    this.tag = response.headers.get("ETag");
    this.told = true;
    if (!this.abort.signal.aborted) this.tell({ data });
  }
}
