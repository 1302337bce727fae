/** Strip is a direction in small: its weights as colours, one beside the other, relative to the largest. */
export function Strip({ weights, label }: { weights: number[]; label: string }) {
  const most = Math.max(1e-300, ...weights.map(Math.abs));
  const stops = weights.map((w, i) => `color-mix(in srgb, var(--${w < 0 ? "minus" : "plus"}) ${Math.round((100 * Math.abs(w)) / most)}%, var(--panel)) ${(100 * i) / weights.length}% ${(100 * (i + 1)) / weights.length}%`);
  return <span class="strip" role="img" aria-label={`weights of ${label}`} style={{ background: `linear-gradient(to right, ${stops.join()})` }} />;
}
