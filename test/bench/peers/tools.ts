/** The tools that every peer serves: one that adds, and as many copies as the benchmark wants. */

export interface Env {
  /** The number of tools, as text. */
  readonly TOOLS?: string;
}

export interface Terms {
  readonly a: number;
  readonly b: number;
}

export const SERVER = { name: "peer", version: "1.0.0" } as const;
export const DESCRIPTION = "Adds two numbers.";

export function toolNames(env: Env): string[] {
  const more = Math.max(0, Number(env.TOOLS ?? "1") - 1);
  return ["Sums_Add", ...Array.from({ length: more }, (_, at) => `Group_Tool${String(at + 2).padStart(4, "0")}`)];
}

export function sumOf({ a, b }: Terms) {
  const result = a + b;
  return { content: [{ type: "text" as const, text: String(result) }], structuredContent: { result } };
}
