// Made from replay/grammar by go test ./cmd/podtrack/web -run Grammar -update.

export const shortDigits = 4;

export const decimals = { chance: 2, sigma: 3, similarity: 3 };
