// The titles of measures and their units, as in the tables of the commands.

const titles: Record<string, [string, string?]> = {
  purposes: ["purposes"],
  options: ["options"],
  available: ["available", "options"],
  calls: ["calls"],
  truncated: ["truncated", "calls"],
  option_length: ["option length", "steps"],
  reach: ["mean steps", "steps"],
  distance: ["distance", "steps"],
  final: ["final", "steps"],
  distance_one_sided: ["one-sided", "steps"],
  states_visited: ["states"],
};

export const titleOf = (measure: string): string => titles[measure]?.[0] ?? measure;

/** labelOf is the title with the unit, for a chart. */
export function labelOf(measure: string): string {
  const unit = titles[measure]?.[1];
  return titleOf(measure) + (unit ? ` (${unit})` : "");
}
