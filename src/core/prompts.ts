/** Prompts: texts that a person picks and a server fills in. What one is, and how one is got. */
import { audit } from "./audit.ts";
import type { Caller } from "./call.ts";
import { type Block, isRich, type PromptMessage } from "./content.ts";
import type { Host } from "./host.ts";
import type { PromptEntry } from "./offers.ts";
import type { Issue, Outcome } from "./outcome.ts";
import { serve } from "./serve.ts";

/** @returns an outcome whose value is the prompt's messages */
export async function getPrompt(
  entry: PromptEntry,
  args: Readonly<Record<string, string>>,
  caller: Caller,
  host: Host,
): Promise<Outcome> {
  const issues = missingArguments(entry, args);
  const offer = { id: entry.name, traits: entry.traits };
  if (issues.length > 0) {
    const outcome = { kind: "invalid", issues } as const;
    audit(host, caller, offer, outcome, 0);
    return outcome;
  }
  const get = async (context: never) =>
    (await entry.load()).default.get(Object.assign(Object.create(null), args) as never, context);
  return serve(offer, caller, host, get, toMessages);
}

function missingArguments({ about }: PromptEntry, args: Readonly<Record<string, string>>): Issue[] {
  return about.arguments
    .filter(({ name, required }) => required && !Object.hasOwn(args, name))
    .map(({ name }) => ({ path: name, message: "Is required" }));
}

/** A text, a block, or messages, as messages of the user. */
function toMessages(value: unknown): PromptMessage[] {
  if (typeof value === "string") return [{ role: "user", content: { type: "text", text: value } }];
  if (isRich(value)) return value.blocks.map((content) => ({ role: "user", content }));
  const items = Array.isArray(value) ? value : [value];
  return items.map((item: PromptMessage | Block) => ("role" in item ? item : { role: "user", content: item }));
}
