/** Warns of what wrangler.toml may lack or misspell. A fork may mean it, so nothing here is an error. */
import { readSettings } from "../../settings.ts";
import { closest } from "../lib/spelling.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import type { Environment } from "./parse.ts";
import { FILE, lineOf, type WranglerToml } from "./read.ts";

/** Warnings of all environments. */
export function suspiciousSettings({ environments, text }: WranglerToml): Problem[] {
  const complaints = environments.flatMap((environment) => [
    ...misspelled(environment, text),
    ...missingBindings(environment),
  ]);
  return complaints.map((complaint) => problemIn(FILE, complaint));
}

function misspelled({ config, vars }: Environment, text: string): Complaint[] {
  // LOCAL is for `npm start` alone.
  const known = readSettings({}).names.filter((name) => name !== "LOCAL");
  return Object.keys(config.vars).flatMap((name) => {
    const meant = known.includes(name) ? undefined : closest(name, known);
    if (meant === undefined) return [];
    const problem = `${name} in ${vars} is no setting`;
    const fix = `did you mean ${meant}? If it is a variable of your own, a name less like it avoids this warning`;
    return [{ problem, fix, line: lineOf(name, text, vars) }];
  });
}

/** Bindings that src/index.ts uses, and what fails without them. */
const BINDINGS: Readonly<Record<string, string>> = {
  KV: "keys, results and sessions have no place",
  VAULT: "there is no key to sign sessions and idempotency records with",
  MAILBOX: "tools cannot ask a user in a session, nor can a client resume a stream",
  HUB: "no client hears of changes",
};

/** wrangler does not pass bindings on to environments: each needs its own. */
function missingBindings({ config, vars }: Environment): Complaint[] {
  // Without it, this is no Worker, and wrangler says so itself.
  if (config.main === undefined) return [];
  const { kv_namespaces, durable_objects } = config;
  const names = [...kv_namespaces.map(({ binding }) => binding), ...durable_objects.bindings.map(({ name }) => name)];
  const where = vars === "[vars]" ? "" : ` in ${vars.replace(".vars", "")}`;
  return Object.entries(BINDINGS).flatMap(([name, lost]) => {
    if (names.includes(name)) return [];
    const fix = `copy the lines of ${name} from upstream's wrangler.toml`;
    return [{ problem: `the binding ${name} is missing${where}: ${lost}`, fix }];
  });
}
