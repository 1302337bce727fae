import { phrase } from "./filter";

// The commands that print what a view shows.

/** optional is a command with words that may be none. */
export const optional = (command: string, words: string[]) => (words.length ? `${command} ${phrase(words)}` : command);

export const command = (verb: string, ...words: string[]) => optional(`podtrack ${verb}`, words);
