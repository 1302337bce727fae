import { options, type VNode } from "preact";

// The page may be served below a path that only its readers know. Everywhere else in the
// page, paths begin where it is served.

const file: string = import.meta.url; // in the folder assets below that path

/** base is the path below which the page is served, "" at the root. */
export const base = new URL("..", file).pathname.slice(0, -1);

/** inside is a path of the page without base; undefined where it leads elsewhere. */
export const inside = (path: string): string | undefined => (path.startsWith(`${base}/`) ? path.slice(base.length) : undefined);

/** leadBelow makes the links and the pictures that are drawn lead below base. */
export function leadBelow(): void {
  const before = options.vnode;
  options.vnode = (node: VNode) => {
    if (node.type === "a" || node.type === "img") {
      const props = node.props as Record<string, unknown>;
      for (const name of ["href", "src"]) {
        const path = props[name];
        if (typeof path === "string" && path.startsWith("/")) props[name] = base + path;
      }
    }
    before?.(node);
  };
}
