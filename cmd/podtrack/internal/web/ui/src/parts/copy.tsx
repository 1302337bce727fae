import { useState } from "preact/hooks";

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // not allowed here; the text can be selected
  }
}

/** Command is the command that prints what is shown, to be copied; or an address, or a caption. */
export function Command({ line, kind = "" }: { line: string; kind?: "" | "address" | "caption" }) {
  const [said, say] = useState({ of: "", text: "" });
  const press = async () => say({ of: line, text: (await copy(line)) ? "copied" : "select it and copy" });
  return (
    <div class={`command ${kind}`}>
      <code tabIndex={0}>{line}</code>
      <button type="button" class="quiet" onClick={press} aria-label={`copy the ${kind || "command"} ${line}`}>
        {(said.of === line && said.text) || "copy"}
      </button>
    </div>
  );
}

/** Digest is a digest's beginning; a click copies all of it. */
export function Digest({ text, length = 12 }: { text: string | null; length?: number }) {
  const [said, say] = useState(false);
  if (!text) return <>–</>;
  const press = async (event: Event) => {
    event.stopPropagation();
    say(await copy(text));
    setTimeout(() => say(false), 1200);
  };
  return (
    <button type="button" class="digest" title={`${text}: click to copy`} data-rest={text.slice(length)} onClick={press}>
      {said ? "copied".padEnd(length, " ") : text.slice(0, length)}
    </button>
  );
}
