// Made from cmd/podtrack/internal/grammar by go test ./cmd/podtrack/internal/web -run Grammar -update.

export const shortDigits = 4;

export const decimals = { chance: 2, sigma: 3, similarity: 3 };
