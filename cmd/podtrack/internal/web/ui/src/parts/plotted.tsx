import type { TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { heavyPause, useSteady } from "../api";
import { compareLink } from "../links";
import { go } from "../router";
import { useTheme } from "../theme";
import { figurePath, type Figure } from "./figures";
import { Numbers } from "./numbers";
import { Shown } from "./states";

/** Readout is what the picture shows at a place, in points from its left and top, with two things to compare if there are some. */
type Readout = [left: number, top: number, width: number, height: number, text: string, a?: string, b?: string];

interface Picture {
  src: string;
  width: number; // in points
  height: number;
  caption: string;
  readouts: Readout[];
}

/** readPicture reads a figure with its readouts. As an image it keeps its font and its styles, which the page's policy allows nowhere else. */
async function readPicture(response: Response): Promise<Picture> {
  const text = await response.text();
  const [, width, height] = /viewBox="0 0 (\S+) (\S+)"/.exec(text)!.map(Number);
  const [, escaped, readouts] = /<desc>([^]*?)<\/desc>\s*<metadata>(.*)<\/metadata>/.exec(text)!;
  const caption = new DOMParser().parseFromString(escaped!, "text/html").body.textContent!;
  return { src: `data:image/svg+xml,${encodeURIComponent(text.replace(/<metadata>.*<\/metadata>/, ""))}`, width: width!, height: height!, caption, readouts: JSON.parse(readouts!) };
}

const inch = 108; // pixels, in which texts of 7 to 8 points are as large as those of the page
const near = 24; // points, from where a place is read

/**
 * Plotted is a figure as podtrack plot draws it, in the theme and about as wide as there is room. The pointer and the
 * arrows read it, Enter or a click compares what is there, and behind it is a table of all that can be read; to screen
 * readers it is its caption. It is drawn again where the store changes, or where on does if it is given.
 */
export function Plotted({ figure, on, most = 7 }: { figure: Figure; on?: unknown; most?: number }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, measure] = useState(0); // in inches
  const theme = useTheme().resolved;
  useLayoutEffect(() => {
    const look = () => box.current!.clientWidth && measure(Math.min(most, Math.max(2.5, Math.floor((2 * box.current!.clientWidth) / inch) / 2)));
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  const path = width ? figurePath(figure, { theme, width: `${width}in`, "no-title": "true", readouts: "true" }) : null;
  const answer = useSteady(path, readPicture, heavyPause, on);
  return (
    <div class="readable" ref={box}>
      <Shown answer={answer} what="the figure">
        {(picture) => <Read {...picture} />}
      </Shown>
    </div>
  );
}

function Read({ src, width, height, caption, readouts }: Picture) {
  const [at, point] = useState<number | null>(null);
  const read = at === null ? undefined : readouts[at];
  const under = (event: TargetedMouseEvent<HTMLElement>): number | null => {
    const box = event.currentTarget.getBoundingClientRect();
    return nearest(readouts, ((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height);
  };
  const open = (i: number | null) => {
    const [a, b] = i === null ? [] : readouts[i]!.slice(5);
    if (a && b && a !== b) go(compareLink(String(a), String(b)));
  };
  const press = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === "Enter") return open(at);
    const to = next(readouts, at, event.key);
    if (to === undefined) return;
    point(to);
    event.preventDefault();
    event.stopPropagation();
  };
  const share = (x: number, all: number) => `${(100 * x) / all}%`;
  return (
    <figure class="plotted" style={{ maxWidth: `${(width / 72) * inch}px` }}>
      <div role="img" aria-label={caption} tabIndex={readouts.length ? 0 : -1} onMouseMove={(e) => point(under(e))} onMouseLeave={() => point(null)} onClick={(e) => open(under(e))} onKeyDown={press}>
        <img src={src} alt="" style={{ aspectRatio: `${width} / ${height}` }} />
        {read && <i style={{ left: share(read[0], width), top: share(read[1], height), width: share(read[2], width), height: share(read[3], height) }} />}
      </div>
      {readouts.length > 0 && (
        <figcaption class="note">
          <span role="status">{read ? read[4] : "point at a mark to read it"}</span>
        </figcaption>
      )}
      <Numbers of={caption} told={(i) => [readouts[i]![4]]} count={readouts.length} />
    </figure>
  );
}

/** nearest is the readout at a place, or close to it. */
function nearest(readouts: Readout[], x: number, y: number): number | null {
  let [found, least]: [number | null, number] = [null, near];
  readouts.forEach(([left, top, width, height], i) => {
    const distance = Math.hypot(Math.max(left - x, 0, x - left - width), Math.max(top - y, 0, y - top - height));
    if (distance < least) [found, least] = [i, distance];
  });
  return found;
}

/** next is where a key leads: along a series by the order of its readouts, up and down by the place; undefined for other keys. */
function next(readouts: Readout[], at: number | null, key: string): number | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const down = { ArrowUp: -1, ArrowDown: 1 }[key];
  if ((!step && !down) || readouts.length === 0) return undefined;
  if (at === null) return step === -1 ? readouts.length - 1 : 0;
  if (step) return Math.max(0, Math.min(readouts.length - 1, at + step));
  let [found, least] = [at, Infinity];
  readouts.forEach(([left, top], i) => {
    const along = down! * (top - readouts[at]![1]);
    const cost = along + 4 * Math.abs(left - readouts[at]![0]);
    if (along > 0 && cost < least) [found, least] = [i, cost];
  });
  return found;
}
