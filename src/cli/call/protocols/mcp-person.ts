/** What an MCP server asks and tells while a tool runs, as the person sees it. */
import type { Progress } from "@modelcontextprotocol/client";
import type { Answer, Person } from "./connection.ts";

/** Asks the person what the server asks. Without a person, the answer is `cancel`. */
export async function answer(person: Person, params: unknown): Promise<Answer> {
  const { message, mode, url, requestedSchema } = params as Readonly<Record<string, unknown>>;
  if (person.ask === undefined) return { action: "cancel" };
  return person.ask(
    mode === "url"
      ? { message: String(message), url: String(url) }
      : { message: String(message), form: (requestedSchema ?? {}) as object as never },
  );
}

/** Such as "half done (1 of 2)". */
export function progressLine({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${message} (${count})` : count;
}

/** Such as "warning: the oven is hot". */
export function logLine({ level, data }: { readonly level: string; readonly data?: unknown }): string {
  return `${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`;
}
