/**
 * Runs the code of a prompt, resource or completion in the same order as execute.ts: authorize, parse, run, check. Only
 * tools have schemas and idempotency keys.
 */

import { toJson } from "../lib/json.ts";
import type { Caller } from "../model/call.ts";
import type { Issue, Outcome } from "../model/outcome.ts";
import type { Primitive, Runtime } from "../ports/runtime.ts";
import { audit } from "./audit.ts";
import { authorize } from "./authorize.ts";
import { RunContext } from "./context.ts";
import { ourFault, runWithin } from "./within-time-limit.ts";

export interface Service {
  readonly primitive: Primitive;
  /** Mistakes that were found in the input: with any, the code does not run. */
  readonly issues?: readonly Issue[];
  work(context: never): Promise<unknown>;
  /** Turns what the code returned into the value that protocols render. */
  toValue(returned: unknown): unknown;
}

/**
 * Runs a primitive and writes its audit line, in a span if the deployment makes traces. Does not reject for a mistake
 * of the caller or of the fork's code.
 */
export function servePrimitive(service: Service, caller: Caller, runtime: Runtime): Promise<Outcome> {
  const { tracer } = runtime;
  return tracer ? tracer.inSpan(() => serve(service, caller, runtime)) : serve(service, caller, runtime);
}

const NOT_JSON = "The returned value cannot be represented in JSON.";

async function serve(
  { primitive, issues = [], work, toValue }: Service,
  caller: Caller,
  runtime: Runtime,
): Promise<Outcome> {
  const ended = (outcome: Outcome, durationMs = 0): Outcome => {
    audit(runtime, caller, primitive, outcome, durationMs);
    return outcome;
  };
  const authorized = await authorize(primitive, caller, runtime);
  if ("refusal" in authorized) return ended({ kind: "refused", refusal: authorized.refusal });
  if (issues.length > 0) return ended({ kind: "invalid", issues });

  const started = runtime.now();
  const context = new RunContext(caller, primitive, authorized.granted, runtime);
  const { outcome } = await runWithin({
    context,
    caller,
    primitive,
    runtime,
    start: () => work(context as never),
    check(value) {
      try {
        return { kind: "completed", value: toJson(toValue(value)) };
      } catch (error) {
        return ourFault({ caller, primitive, runtime }, NOT_JSON, error, context.scrub);
      }
    },
  });
  await context.end();
  return ended(outcome, runtime.now() - started);
}
