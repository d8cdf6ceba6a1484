/** Logs rejected promises that nobody awaits: the runtime drops them, and they do not affect the call's outcome. */
import { lazily } from "../lib/lazily.ts";
import { type DescribedError, describeError } from "../lib/log.ts";
import { scrubber } from "../lib/scrub.ts";
import type { Runtime } from "../ports/runtime.ts";
import { named } from "./requirements.ts";

/**
 * Starts logging, for as long as the isolate lives. We cannot tell which call a rejection belongs to, so in a
 * deployment whose callers may send secrets, the error's message is not logged: it may contain one.
 */
export function logRejections({ catalog, secret, isLocal, log }: Runtime): void {
  // Lazy, because it reads the whole catalogue, which may be large.
  const secrets = lazily(() => {
    const primitives = [...catalog.all(undefined), ...catalog.prompts(undefined), ...catalog.allResources];
    const required = primitives.flatMap(({ options: { requirements: { secrets = [], authorization = [] } = {} } }) =>
      [...secrets, ...authorization].map(named),
    );
    return {
      scrub: scrubber(required.flatMap(({ id }) => secret(id) ?? [])),
      callersMaySend: required.some(({ from }) => from !== "worker"),
    };
  });
  addEventListener("unhandledrejection", ({ reason }) => {
    const { scrub, callersMaySend } = secrets();
    const described = describeError(reason, scrub);
    const error = callersMaySend && !isLocal ? withoutMessage(described) : described;
    log({ level: "error", message: "unhandled rejection", error });
  });
}

function withoutMessage({ name, stack, cause }: DescribedError): DescribedError {
  const frames = stack?.split("\n").filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line));
  return {
    name,
    message: "(not logged: it may contain a caller's secret)",
    stack: frames?.join("\n"),
    cause: cause && withoutMessage(cause),
  };
}
