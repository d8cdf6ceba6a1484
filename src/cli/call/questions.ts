/**
 * Asks the person what a tool asks: one line for each field of a form, with its type, choices and default
 * (MCP 2026-07-28, client/elicitation). Uses the streams that it is given, so that tests can answer.
 */
import { createInterface } from "node:readline/promises";
import { plain } from "../lib/plain.ts";
import { checkValue } from "./input/check.ts";
import { coerce } from "./input/coerce.ts";
import { typeInWords } from "./input/describe.ts";
import type { Screen } from "./progress.ts";
import type { Answer, JsonSchema, Question } from "./protocols/connection.ts";

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & Screen;
  /** Called for Ctrl+C, which the terminal does not send as a signal while a line is read. */
  interrupt(): void;
}

/** The person pressed Ctrl+D, or the input has ended: they do not answer. */
class Declined extends Error {}

/** @returns the answer; `decline` for Ctrl+D. Rejects with the signal's reason once it is aborted */
export async function askPerson(question: Question, terminal: Terminal, signal: AbortSignal): Promise<Answer> {
  const { input, output } = terminal;
  const lines = createInterface({ input, output, terminal: output.isTTY === true });
  lines.on("SIGINT", () => terminal.interrupt());
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => {});
  lines.once("close", () => closed.reject(new Declined()));
  /** Reads a line. @throws {Declined} if there is none */
  const ask = async (prompt: string) => {
    signal.throwIfAborted();
    try {
      return await Promise.race([closed.promise, lines.question(prompt, { signal })]);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
  try {
    output.write(`\n${plain(question.message)}  (Ctrl+D declines)\n`);
    if ("form" in question) return { action: "accept", content: await fill(question.form, ask, output) };
    // Printed, and not opened: the person can read first where it leads.
    output.write(`Open this page: ${plain(question.url)}\n`);
    await ask("Press Enter when you are done there: ");
    return { action: "accept" };
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    output.write("\n");
    return { action: "decline" };
  } finally {
    lines.close();
  }
}

type Content = NonNullable<Answer["content"]>;
type Ask = (prompt: string) => Promise<string>;

async function fill(form: JsonSchema, ask: Ask, output: Screen): Promise<Content> {
  const fields = Object.entries((form.properties ?? {}) as Record<string, JsonSchema>);
  const required = (form.required ?? []) as readonly string[];
  if (fields.length === 0) await ask("Press Enter to accept: ");
  const content: Record<string, Content[string]> = {};
  for (const [name, field] of fields) {
    const value = await askField(name, field, required.includes(name), ask, output);
    if (value !== undefined) content[name] = value;
  }
  return content;
}

/** Asks until the answer fits. @returns undefined for a field that is left out */
async function askField(name: string, field: JsonSchema, isRequired: boolean, ask: Ask, output: Screen) {
  const choices = choicesOf(field);
  const title = plain(String(field.title ?? name));
  const kind = choices.length > 0 ? (field.type === "array" ? "some, with commas" : "one") : plain(typeInWords(field));
  const byDefault = field.default === undefined ? "" : `, Enter for ${plain(JSON.stringify(field.default))}`;
  const optional = isRequired || byDefault !== "" ? "" : ", Enter for none";
  if (field.description !== undefined) output.write(`  ${plain(String(field.description))}\n`);
  for (const [index, { value, title }] of choices.entries()) {
    output.write(`  ${index + 1}. ${plain(title)}${title === value ? "" : ` (${plain(value)})`}\n`);
  }
  for (;;) {
    const line = (await ask(`${title} (${kind}${byDefault}${optional}): `)).trim();
    if (line === "" && field.default !== undefined) return field.default as Content[string];
    if (line === "" && !isRequired) return undefined;
    const value = line === "" ? undefined : choices.length > 0 ? choose(line, field, choices) : coerce([line], field);
    const problems = value === undefined ? ["an answer is required"] : checkValue(value, field);
    if (problems.length === 0) return value as Content[string];
    output.write(`  ${plain(problems.join("; "))}\n`);
  }
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** Reads `enum`, with or without `enumNames`, or `oneOf` and `anyOf` with titles; for several answers, from `items`. */
function choicesOf(field: JsonSchema): Choice[] {
  const from = (field.type === "array" ? (field.items ?? {}) : field) as JsonSchema;
  const titled = (from.oneOf ?? from.anyOf) as readonly { const?: unknown; title?: unknown }[] | undefined;
  if (titled) return titled.map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }));
  const names = (from.enumNames ?? []) as readonly unknown[];
  return ((from.enum ?? []) as readonly unknown[]).map((value, index) => ({
    value: String(value),
    title: String(names[index] ?? value),
  }));
}

/** The values of the choices that a line names by number, value or title. Any other text stays, and fails the check. */
function choose(line: string, field: JsonSchema, choices: readonly Choice[]): string | string[] {
  const value = (text: string) => {
    const written = choices.find(({ value, title }) => value === text || title.toLowerCase() === text.toLowerCase());
    return (written ?? (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined))?.value ?? text;
  };
  return field.type === "array" ? line.split(",").map((part) => value(part.trim())) : value(line);
}
