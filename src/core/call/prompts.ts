/** Runs prompts: messages that a person picks and the server fills in. */
import type { Caller } from "../model/call.ts";
import { type Block, isRich, isSvgImage, type PromptMessage, SVG_IMAGE } from "../model/content.ts";
import type { Issue, Outcome } from "../model/outcome.ts";
import type { PromptEntry } from "../model/primitives.ts";
import type { Primitive, Runtime } from "../ports/runtime.ts";
import { servePrimitive } from "./serve-primitive.ts";

/** Runs a prompt's `get`. The outcome's value is the list of the prompt's messages. */
export function getPrompt(
  entry: PromptEntry,
  args: Readonly<Record<string, string>>,
  caller: Caller,
  runtime: Runtime,
): Promise<Outcome> {
  const get = async (context: never) => (await entry.load()).default.get(withoutPrototype(args) as never, context);
  const service = {
    primitive: promptPrimitive(entry),
    issues: missingArguments(entry, args),
    work: get,
    toValue(value: unknown) {
      const messages = toMessages(value);
      const isSvg = messages.some(({ content }) => isSvgImage(content));
      if (isSvg) runtime.log({ level: "warning", message: SVG_IMAGE, callId: caller.callId, prompt: entry.name });
      return messages;
    },
  };
  return servePrimitive(service, caller, runtime);
}

/** The form in which a prompt is authorized, counted and logged. */
export function promptPrimitive({ name, options }: PromptEntry): Primitive {
  return { id: name, options, kind: "prompt", rateKey: `prompt ${name}` };
}

/** Copies an object without a prototype, so that an argument "constructor" is found only if it was sent. */
export function withoutPrototype<Texts extends Readonly<Record<string, string>>>(texts: Texts): Texts {
  return Object.assign(Object.create(null), texts);
}

function missingArguments({ about }: PromptEntry, args: Readonly<Record<string, string>>): Issue[] {
  return about.arguments
    .filter(({ name, required }) => required && !Object.hasOwn(args, name))
    .map(({ name }) => ({ path: name, message: "Is required" }));
}

/** Turns a text, a block, or a list of blocks and messages into messages. The role defaults to `user`. */
function toMessages(value: unknown): PromptMessage[] {
  if (typeof value === "string") return [{ role: "user", content: { type: "text", text: value } }];
  if (isRich(value)) return value.blocks.map((content) => ({ role: "user", content }));
  const items = Array.isArray(value) ? value : [value];
  return items.map((item: PromptMessage | Block) => ("role" in item ? item : { role: "user", content: item }));
}
