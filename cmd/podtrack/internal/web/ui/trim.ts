import type { Plugin } from "vite";

// uPlot's own build has switches for what a page does without (FEAT_TIME, FEAT_PATHS_BARS
// and others), but its package holds one build with all of it. These are the places at
// which the parts that no chart here uses hang: with them gone, the bundler drops the rest.
const unused: [RegExp, string][] = [
  // Time on an axis.
  [/const \[ timeIncrsMs.*\nconst \[ timeIncrsS,.*\n/, ""],
  [/const _tzDate  =[^]*?const _timeSeriesVal .*\n/, ""],
  [/let isTime = sc\.time;/g, "const isTime = false;"],
  [/let isTime = mode == 1 && .*;/, "const isTime = false;"],
  [/\{\n\tuPlot\.fmtDate = fmtDate;[^]*?\}\n/, ""],
  // Points with an x of their own, and scales by asinh.
  [/\bmode == 2\b/g, "false"],
  [/(\w+\.)?distr == 4\b/g, "false"],
  [/uPlot\.rangeAsinh = .*/, ""],
  // A legend: the page writes its own.
  [/const showLegend = legend\.show;/, "const showLegend = false;"],
  [/\tif \(legend\.live\) \{/, "\tif (false) {"],
  [/showLegend && legend\.live/g, "false"],
  // Joined tables, bars and curves.
  [/uPlot\.join = join;/, ""],
  [/\(paths\.bars .*\n.*monotoneCubic\);/, ""],
];

/** trimPlots takes from uPlot what no chart uses. It fails where a version differs from the one it knows. */
export function trimPlots(): Plugin {
  return {
    name: "trim-plots",
    transform: {
      filter: { id: /uPlot\.esm\.js$/ },
      handler(code) {
        for (const [part, instead] of unused) {
          if (code.search(part) < 0) this.error(`uPlot has no ${part} any more: look at what trim.ts removes`);
          code = code.replace(part, instead);
        }
        return { code, map: null };
      },
    },
  };
}
