/** Estimates how many tokens of a model a tool's definition costs (docs/listings.md, What a listing costs). */

/** Of JSON in English. docs/listings.md has the error, measured with four tokenizers. */
const CHARACTERS_PER_TOKEN = 4;

/** @returns an estimate for any text */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** @returns an estimate for what hosts give a model of a tool: its name, its description and its input */
export function tokensOfTool(name: string, description: string, input: object): number {
  return tokensOf(JSON.stringify({ name, description, input }));
}
