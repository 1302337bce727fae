// Made from cmd/podtrack/internal/palette by go test ./cmd/podtrack/internal/web -run Palette -update.

export const shortDigits = 4;

export const decimals = { chance: 2, sigma: 3, similarity: 3 };
