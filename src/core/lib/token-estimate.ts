/** Estimates how many tokens of a model a tool's definition costs (docs/listings.md, What a listing costs). */

/** For JSON in English. docs/listings.md has the error, measured with four tokenizers. */
const CHARACTERS_PER_TOKEN = 4;

export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Estimates the parts of a tool that hosts pass to a model: its name, its description and its input schema. */
export function tokensOfTool(name: string, description: string, input: object): number {
  return tokensOf(JSON.stringify({ name, description, input }));
}
