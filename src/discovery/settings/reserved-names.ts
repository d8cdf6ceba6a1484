/** Names in `env` that are reserved for Trivet: a definition that uses one would share its storage, keys or settings. */
import type { Requirements } from "../../core/model/definition.ts";
import type { Complaint } from "../read/problem.ts";
import { readAllSettings } from "./all-settings.ts";

/** ASSETS is not among them: a fork may have assets of its own. A test compares these with what src/ reads. */
export const RESERVED_BINDINGS: readonly string[] = [
  ...["CLAIMS", "FILE_RECORDS", "FILES", "HUB", "KV", "LONG", "MAILBOX", "OUTBOX", "SESSIONS", "VAULT"],
];

export function isReserved(name: string): boolean {
  return RESERVED_BINDINGS.includes(name) || /^RATE_\d+$/.test(name) || readAllSettings({}).names.includes(name);
}

/** Finds reserved names in a definition's `env`, and in what it takes from the Worker's secrets. */
export function reservedNames(env: readonly string[] = [], requirements: Requirements = {}): Complaint[] {
  const { secrets = [], authorization = [] } = requirements;
  const required = [...secrets, ...authorization].map((item) => (typeof item === "string" ? { id: item } : item));
  const ofWorker = required.filter((item) => !("from" in item) || item.from !== "caller");
  const found = [
    ...env.map((name) => ({ name, member: "env" })),
    ...ofWorker.map(({ id }) => ({ name: id, member: "requirements" })),
  ].filter(({ name }) => isReserved(name));
  return found.map(({ name, member }) => ({
    problem: `${name} in its ${member} is reserved for Trivet`,
    fix: `give what the tool needs another name, such as MY_${name}, here and where it is set`,
    member,
  }));
}
