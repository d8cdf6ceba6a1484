/** Prompts: texts that a person picks and a server fills in. What one is, and how one is got. */
import type { Caller } from "./call.ts";
import { type Block, isRich, type PromptMessage } from "./content.ts";
import { RunContext } from "./context.ts";
import type { Host } from "./execute.ts";
import { toJson } from "./json.ts";
import type { PromptEntry } from "./offers.ts";
import type { Issue, Outcome } from "./outcome.ts";
import { meet } from "./requirements.ts";
import { ourFault, runWithin } from "./run.ts";

/** @returns an outcome whose value is the prompt's messages */
export async function getPrompt(
  entry: PromptEntry,
  args: Readonly<Record<string, string>>,
  caller: Caller,
  host: Host,
): Promise<Outcome> {
  const offer = { id: entry.name, traits: entry.traits };
  const requirements = meet(entry.traits.requirements, caller.context, host.secret);
  if ("missing" in requirements) {
    return { kind: "refused", refusal: { reason: "requirements", name: entry.name, missing: requirements.missing } };
  }
  const issues = missingArguments(entry, args);
  if (issues.length > 0) return { kind: "invalid", issues };
  const definition = (await entry.load()).default;
  const context = new RunContext(caller, offer, requirements.met, host);
  const outcome = await runWithin(
    () => definition.get(args as never, context as unknown as never),
    (value) => {
      try {
        return { kind: "completed", value: toJson(toMessages(value)) };
      } catch (error) {
        return ourFault(caller, offer, host, "The prompt's messages cannot be carried by JSON.", error);
      }
    },
    context,
    caller,
    offer,
    host,
  );
  await context.end();
  return outcome;
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
