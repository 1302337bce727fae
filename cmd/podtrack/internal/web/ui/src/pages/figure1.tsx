import { command } from "../command";
import { Panel } from "../parts/panel";
import { Plotted } from "../parts/plotted";
import { set } from "../router";

const readings = ["as-published", "as-written"]; // Table 1 is consistent with the first

/** Figure1 draws the paper's Figure 1 of one seed, as podtrack reproduce figure1 does. */
export function Figure1({ seeds, query }: { seeds: number; query: URLSearchParams }) {
  const reading = query.get("reading") ?? readings[0]!;
  const seed = query.get("seed") ?? "0";
  const figure = { name: "figure1", of: [], flags: { reading, seed } };
  const words = [...(reading === readings[0] ? [] : ["--reading", reading]), ...(seed === "0" ? [] : ["--seed", seed])];
  return (
    <Panel id="figure1" title="Figure 1" aside={<Choice reading={reading} seed={seed} seeds={seeds} />} command={command("reproduce figure1", ...words, "-o", "figure1.svg")} figure={figure}>
      <Plotted figure={figure} on={seeds} most={10} />
      <p class="note">The position over time, in steps to the right of the first state; dashed lines are the beginnings of iterations. The paper does not say of which seed its walks are: expect the same look, not the same lines.</p>
    </Panel>
  );
}

function Choice({ reading, seed, seeds }: { reading: string; seed: string; seeds: number }) {
  return (
    <>
      <label>
        of{" "}
        <select value={reading} onChange={(e) => set({ reading: e.currentTarget.value })}>
          {readings.map((r) => (
            <option key={r}>{r}</option>
          ))}
        </select>
      </label>{" "}
      <label>
        seed{" "}
        <select value={seed} onChange={(e) => set({ seed: e.currentTarget.value })}>
          {Array.from({ length: seeds }, (_, n) => (
            <option key={n}>{n}</option>
          ))}
        </select>
      </label>
    </>
  );
}
