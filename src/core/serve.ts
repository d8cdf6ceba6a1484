/**
 * Runs the code of a prompt, resource or completion in execute's order: permit, requirements, context, limits. Schemas
 * and keys, which only tools have, are in execute.ts.
 */
import { audit } from "./audit.ts";
import type { Caller } from "./call.ts";
import { RunContext } from "./context.ts";
import type { Host, Offer } from "./host.ts";
import { toJson } from "./json.ts";
import type { Issue, Outcome, Refusal } from "./outcome.ts";
import { permit } from "./permit.ts";
import { meet } from "./requirements.ts";
import { ourFault, runWithin } from "./run.ts";

/** What is asked for. */
export interface Service {
  readonly offer: Offer;
  /** What is wrong with what was sent. Left out where nothing can be. */
  readonly issues?: readonly Issue[];
  /** Runs the fork's code with its context. */
  work(context: never): Promise<unknown>;
  /** Turns what the code returned into what protocols render. */
  toValue(returned: unknown): unknown;
}

export async function serve(
  { offer, issues = [], work, toValue }: Service,
  caller: Caller,
  host: Host,
): Promise<Outcome> {
  const ended = (outcome: Outcome, durationMs = 0): Outcome => {
    audit(host, caller, offer, outcome, durationMs);
    return outcome;
  };
  const refused = (refusal: Refusal) => ended({ kind: "refused", refusal });

  const refusal = await permit(offer, caller.principal, host);
  if (refusal) return refused(refusal);
  const requirements = meet(offer.traits.requirements, caller.context, host.secret);
  if ("missing" in requirements) {
    return refused({ reason: "requirements", name: offer.id, missing: requirements.missing });
  }
  if (issues.length > 0) return ended({ kind: "invalid", issues });

  const started = host.now();
  const context = new RunContext(caller, offer, requirements.met, host);
  const { outcome } = await runWithin({
    context,
    caller,
    offer,
    host,
    start: () => work(context as never),
    returned(value) {
      try {
        return { kind: "completed", value: toJson(toValue(value)) };
      } catch (error) {
        return ourFault(caller, offer, host, "What was returned cannot be carried by JSON.", error, context.scrub);
      }
    },
  });
  await context.end();
  return ended(outcome, host.now() - started);
}
