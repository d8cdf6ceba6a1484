/** The texts of a new prompt or resource, and of their tests. */
import { PROMPT, RESOURCE } from "../lib/examples.ts";
import type { Target } from "./target.ts";
import { imports, lines } from "./tool-text.ts";

/** The file of a new prompt. */
export function promptText(): string {
  return lines(
    imports("definePrompt", "#tool"),
    "",
    "export default definePrompt({",
    "  // For the person who picks it.",
    `  description: "${PROMPT}",`,
    "  arguments: {",
    `    topic: { description: "What to explain.", required: true },`,
    "  },",
    "  // What the user says to the model.",
    `  get: ({ topic }) => \`Explain \${topic} in three sentences.\`,`,
    "});",
  );
}

/** The test of a new prompt. */
export function promptTestText({ mcpName }: Target): string {
  return lines(
    imports("expect, it", "vitest"),
    imports("getPrompt", "#test"),
    "",
    `it("asks for an explanation", async () => {`,
    `  const { value } = await getPrompt("${mcpName}", { topic: "tides" });`,
    `  const content = { type: "text", text: "Explain tides in three sentences." };`,
    `  expect(value).toEqual([{ role: "user", content }]);`,
    "});",
  );
}

/** The file of a new resource. */
export function resourceText(target: Target): string {
  return lines(
    imports("defineResource", "#tool"),
    "",
    "export default defineResource({",
    "  // With a {variable} in it, this is a family of resources, and `read` gets the variable.",
    `  uri: "${uriOf(target)}",`,
    `  description: "${RESOURCE}",`,
    `  mimeType: "text/plain",`,
    `  read: () => "Hello!",`,
    "});",
  );
}

/** The test of a new resource. */
export function resourceTestText(target: Target): string {
  return lines(
    imports("expect, it", "vitest"),
    imports("readResource", "#test"),
    "",
    `it("is a greeting", async () => {`,
    `  const { value } = await readResource("${uriOf(target)}");`,
    `  expect(value).toMatchObject([{ text: "Hello!" }]);`,
    "});",
  );
}

const uriOf = ({ toolkit, name }: Target) => `${toolkit}://${name}`;
