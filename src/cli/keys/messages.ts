/** The texts of `npm run keys`: usage, the announcement of a new key, and the table of all keys. Dates are UTC. */
import type { ListedKey } from "../../core/ports/key-records.ts";
import type { MadeKey } from "./make.ts";

export const USAGE = `API keys of this deployment.

npm run keys -- create NAME  creates a key and shows it, this once
    --toolkits a,b           folders in tools/ that it may use (default: all)
    --scopes a,b             scopes that it grants, '*' for all (default: none)
    --expires 30d            or 12h, 90m, 2027-01-31 (default: never)
    --rate 60                requests a minute, one of the RATE_ limiters in your settings
    --yes                    do not ask about scopes that no tool demands, or a name that another key has
npm run keys -- list         lists all keys; --json for machines
npm run keys -- revoke ID    revokes a key; its name works too, if no other key has it

    --remote                 use the deployment, instead of \`npm start\` on this machine
    --persist-to DIR         as in \`npm start -- --persist-to DIR\`
    --config FILE, --env NAME  as in wrangler`;

/** The text that shows a new key to its owner; its first line is the key. */
export function announce({ id, text, record }: MadeKey, remote: boolean): string {
  const { name, toolkits, scopes, rate, expires } = record;
  const opens = toolkits ? `the toolkits ${toolkits.join(", ")}` : "all toolkits";
  const none = "no scopes, so it cannot call tools that demand one (see --scopes)";
  const granted = scopes.includes("*") ? "all scopes" : `the scopes ${scopes.join(", ")}`;
  const often = rate === undefined ? "at the deployment's default rate" : `${rate} times a minute`;
  const until = expires === undefined ? "It does not expire" : `It expires at ${date(expires)}`;
  const where = remote
    ? "It is for the deployment, where it may take a minute to work."
    : "It is for `npm start` on this machine; --remote creates one for the deployment.";
  return `${text}

This is "${name}" (${id}). It is shown only once: only a hash is stored.
It may use ${opens}, ${often}, and grants ${scopes.length === 0 ? none : granted}. ${until}.
Send it in a header: OXP-API-Key, X-Agent-API-Key, or Authorization with "Bearer " in front of it.
${where}`;
}

/**
 * All keys as a text table.
 *
 * @param now seconds since 1970
 */
export function table(keys: readonly ListedKey[], now: number): string {
  const rows = keys.map(({ id, terms }) =>
    terms === undefined
      ? [id, "?", "?", "?", "?", "?", "?"]
      : [
          id,
          terms.name,
          terms.toolkits?.join(",") ?? "*",
          terms.scopes.join(",") || "-",
          String(terms.rate ?? "-"),
          terms.expires === undefined ? "never" : date(terms.expires) + (terms.expires <= now ? " (expired)" : ""),
          date(terms.created),
        ],
  );
  const lines = [["ID", "NAME", "TOOLKITS", "SCOPES", "RATE", "EXPIRES", "CREATED"], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return padded.map((line) => line.trimEnd()).join("\n");
}

/** `2027-01-31 00:00Z` */
const date = (seconds: number) => `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace("T", " ")}Z`;
