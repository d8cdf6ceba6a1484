/** Has a prompt or a resource made: requirements, context, limits. What tools have besides (input, keys) is in execute. */
import { audit } from "./audit.ts";
import type { Caller } from "./call.ts";
import { RunContext } from "./context.ts";
import type { Host, Offer } from "./host.ts";
import { toJson } from "./json.ts";
import type { Outcome } from "./outcome.ts";
import { meet } from "./requirements.ts";
import { ourFault, runWithin } from "./run.ts";

/**
 * @param work runs the fork's code with its context
 * @param made what protocols get of what that returned
 */
export async function serve(
  offer: Offer,
  caller: Caller,
  host: Host,
  work: (context: never) => Promise<unknown>,
  made: (returned: unknown) => unknown,
): Promise<Outcome> {
  const started = host.now();
  const ended = (outcome: Outcome): Outcome => {
    audit(host, caller, offer, outcome, host.now() - started);
    return outcome;
  };
  const requirements = meet(offer.traits.requirements, caller.context, host.secret);
  if ("missing" in requirements) {
    const { missing } = requirements;
    return ended({ kind: "refused", refusal: { reason: "requirements", name: offer.id, missing } });
  }
  const context = new RunContext(caller, offer, requirements.met, host);
  const { outcome } = await runWithin({
    context,
    caller,
    offer,
    host,
    start: () => work(context as never),
    returned(value) {
      try {
        return { kind: "completed", value: toJson(made(value)) };
      } catch (error) {
        return ourFault(caller, offer, host, "What was returned cannot be carried by JSON.", error, context.scrub);
      }
    },
  });
  await context.end();
  return ended(outcome);
}
