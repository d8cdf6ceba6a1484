/** What is said of keys: to their owner when one is made, and in the table of all. Dates are UTC. */
import type { ListedKey } from "../../core/ports/key-records.ts";
import type { MadeKey } from "./make.ts";

export const USAGE = `API keys of this deployment.

npm run keys -- create NAME  makes a key and shows it, this once
    --toolkits a,b           folders of tools/ that it opens (all without it)
    --scopes a,b             scopes that it grants, '*' for all (none without it)
    --expires 30d            or 12h, 90m, 2027-01-31 (never without it)
    --rate 60                requests a minute, one of the RATE_ limiters in wrangler.toml
npm run keys -- list         shows the keys there are; --json for machines
npm run keys -- revoke ID    by its name, where no other key has that

    --remote                 of the deployment, instead of \`npm start\` on this machine
    --persist-to DIR         as for \`npm start -- --persist-to DIR\`
    --config FILE, --env NAME  as for wrangler`;

export function announce({ id, text, record }: MadeKey, remote: boolean): string {
  const { name, toolkits, scopes, rate, expires } = record;
  const opens = toolkits ? `the toolkits ${toolkits.join(", ")}` : "all toolkits";
  const grants =
    scopes.length === 0
      ? "grants no scope, so that tools which demand one stay closed (see --scopes)"
      : `grants ${scopes.includes("*") ? "all scopes" : `the scopes ${scopes.join(", ")}`}`;
  const often = rate === undefined ? "as often as the deployment lets everyone" : `${rate} times a minute`;
  const until = expires === undefined ? "It does not expire" : `It expires at ${date(expires)}`;
  const where = remote
    ? "It is for the deployment, which may take a minute to know it."
    : "It is for `npm start` on this machine; --remote makes one for the deployment.";
  return `${text}

This is "${name}" (${id}). It is shown this once: what is kept is a hash.
It opens ${opens}, ${often}, and ${grants}. ${until}.
Send it in a header: OXP-API-Key, X-Agent-API-Key, or Authorization with "Bearer " before it.
${where}`;
}

/** @param now seconds since 1970 */
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
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** `2027-01-31 00:00Z` */
function date(seconds: number): string {
  return new Date(seconds * 1_000)
    .toISOString()
    .replace("T", " ")
    .replace(/:\d\d\.\d+Z$/, "Z");
}
