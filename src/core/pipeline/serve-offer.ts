/**
 * Runs the code of a prompt, resource or completion in execute's order: authorize, parse, run, check. Schemas
 * and keys, which only tools have, are in execute.ts.
 */

import { toJson } from "../lib/json.ts";
import type { Caller } from "../model/call.ts";
import type { Issue, Outcome } from "../model/outcome.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";
import { RunContext } from "../run/context.ts";
import { ourFault, runWithin } from "../run/run-code.ts";
import { audit } from "./audit.ts";
import { authorize } from "./authorize.ts";

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

export async function serveOffer(
  { offer, issues = [], work, toValue }: Service,
  caller: Caller,
  runtime: Runtime,
): Promise<Outcome> {
  const ended = (outcome: Outcome, durationMs = 0): Outcome => {
    audit(runtime, caller, offer, outcome, durationMs);
    return outcome;
  };
  const authorized = await authorize(offer, caller, runtime);
  if ("refusal" in authorized) return ended({ kind: "refused", refusal: authorized.refusal });
  if (issues.length > 0) return ended({ kind: "invalid", issues });

  const started = runtime.now();
  const context = new RunContext(caller, offer, authorized.granted, runtime);
  const { outcome } = await runWithin({
    context,
    caller,
    offer,
    runtime,
    start: () => work(context as never),
    check(value) {
      try {
        return { kind: "completed", value: toJson(toValue(value)) };
      } catch (error) {
        return ourFault(
          caller,
          offer,
          runtime,
          "The returned value cannot be represented in JSON.",
          error,
          context.scrub,
        );
      }
    },
  });
  await context.end();
  return ended(outcome, runtime.now() - started);
}
