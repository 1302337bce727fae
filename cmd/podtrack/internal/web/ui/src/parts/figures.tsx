import { useEffect, useState } from "preact/hooks";
import { answer, type Failure } from "../api";
import { saveBlob } from "../download";
import { Command } from "./copy";
import { Failed } from "./states";

/** Figure is one of podtrack plot, with its arguments and its flags. */
export interface Figure {
  name: string;
  of: string[];
  flags?: Record<string, string>;
}

export function figurePath(figure: Figure, flags: Record<string, string> = {}): string {
  const query = new URLSearchParams(figure.of.map((of) => ["of", of]));
  for (const [name, value] of Object.entries({ ...figure.flags, ...flags })) query.set(name, value);
  return `/api/figure/${figure.name}?${query}`;
}

const formats = ["svg", "png", "pdf", "csv"];

/** Figures downloads a figure as podtrack plot writes it, and shows its caption. */
export function Figures({ figure }: { figure: Figure }) {
  const [busy, work] = useState<string>();
  const [error, fail] = useState<Failure>();
  const [caption, say] = useState<string>();
  const path = figurePath(figure);
  useEffect(() => say(undefined), [path]);
  const press = async (format: string) => {
    work(format);
    fail(undefined);
    try {
      const response = await answer(figurePath(figure, { format }));
      if (format === "txt") say((await response.text()).trim());
      else saveBlob(fileName(response) ?? `${figure.name}.${format}`, await response.blob());
    } catch (e) {
      fail(e as Failure);
    }
    work(undefined);
  };
  return (
    <span class="files" title="for a paper: light, 6 in wide; podtrack plot has other sizes, and a dark one">
      <span class="note" aria-hidden="true">
        {figure.name.startsWith("figure") ? "figure" : `figure ${figure.name}`}
      </span>
      {formats.map((format) => (
        <button key={format} type="button" class="quiet" disabled={busy !== undefined} onClick={() => press(format)} aria-label={`download the figure ${figure.name} as ${format.toUpperCase()}`}>
          {busy === format ? "…" : format.toUpperCase()}
        </button>
      ))}
      <button type="button" class="quiet" disabled={busy !== undefined} aria-expanded={!!caption} onClick={() => (caption ? say(undefined) : press("txt"))} aria-label={`caption of the figure ${figure.name}`}>
        {busy === "txt" ? "…" : "caption"}
      </button>
      {caption && <Command line={caption} kind="caption" />}
      {error && <Failed error={error} />}
    </span>
  );
}

const fileName = (response: Response) => /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
