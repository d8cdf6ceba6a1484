/** The dialect of 2026-07-28. */
import type { Capability } from "../../../core/model/elicitation.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Extended } from "../methods/extension.ts";
import { failed } from "../methods/render.ts";
import { listTools, toolCaller } from "../methods/tools.ts";
import type { Dialect, Exchange, Meta, Method, MethodReply, Subject } from "../transport/exchange.ts";
import { clientNames } from "../wire/client-names.ts";
import { CODE, error } from "../wire/codes.ts";
import { isLogLevel } from "../wire/log-levels.ts";
import { wrongParameterHeader } from "./header-checks.ts";
import { inputRequired, readInputResponses, sessionOfState } from "./input-required.ts";
import { CACHING, finish, listingEnd, META } from "./meta.ts";

/** @param supported the supported revisions of all eras */
export function modernDialect(mcp: Extended, supported: readonly string[]): Dialect {
  return {
    era: "modern",
    methods: mcp.modernMethods(methods(mcp, supported)),
    finish,
    // "It MUST respond with 404 Not Found" (Streamable HTTP, Protocol Version Header).
    unknownMethodStatus: 404,
    // Streamable HTTP: closing the stream MUST be treated as cancellation.
    disconnectCancels: true,
    notifies: true,
    logThreshold(_exchange, meta) {
      // Server/utilities/logging: no log messages may be sent unless the request names a level.
      const level = meta?.[META.logLevel];
      return isLogLevel(level) ? level : "never";
    },
    readAnswers,
    wrongHeader: wrongParameterHeader,
    sessionOfEarlierTurn: sessionOfState,
    clientNames: (_exchange, meta) => clientNames(meta?.[META.clientInfo]),
    elicitation: ({ capabilities }, answers) => ({ capabilities, ...(answers && { answers }) }),
    asking: inputRequired,
    // This revision reserves -32003 for older servers. A failed result can also say that the client may retry.
    timedOut: (message) => ({ result: failed({ message, canRetry: true }) }),
    lacksCapability(capability, message) {
      const requiredCapabilities = REQUIRED_CAPABILITIES[capability];
      return { ...error(CODE.missingCapability, message, { requiredCapabilities }), status: 400 };
    },
    invalidIsResult: true,
    unknownToolCode: CODE.invalidParams,
    // Server/resources, Error Handling.
    unknownResourceCode: CODE.invalidParams,
    structuredContent: "any",
    // Clients of this revision pass session handles as arguments.
    inputSchema: ({ modern, mcp, input }) => modern ?? mcp ?? input,
    caching: (ttlMs) => ({ ...CACHING, ttlMs }),
    listingEnd,
  };
}

const NO_ANSWERS = { answers: undefined };

function readAnswers(exchange: Exchange, subject: Subject, params: unknown, meta: Meta) {
  const level = meta?.[META.logLevel] ?? undefined;
  if (level !== undefined && !isLogLevel(level)) {
    return { refused: error(CODE.invalidParams, `params._meta["${META.logLevel}"] is not a log level`) };
  }
  const sent = params as Readonly<Record<string, unknown>>;
  if ((sent.inputResponses ?? sent.requestState ?? undefined) === undefined) return NO_ANSWERS;
  return readInputResponses(exchange, subject, sent);
}

/** Client capabilities in the form of the MissingRequiredClientCapability error. */
const REQUIRED_CAPABILITIES: Readonly<Record<Capability, Record<string, object>>> = {
  form: { elicitation: { form: {} } },
  page: { elicitation: { url: {} } },
  sample: { sampling: {} },
  "sample-tools": { sampling: { tools: {} } },
  roots: { roots: {} },
};

/** The methods of this revision, which lacks some of the earlier ones. */
function methods(mcp: Extended, supported: readonly string[]): ReadonlyMap<string, Method> {
  return new Map<string, Method>([
    ["server/discover", (_request, { context }) => discover(supported, mcp, context)],
    ["tools/list", listTools],
    ["tools/call", toolCaller(mcp)],
  ]);
}

/** Describes the server (2026-07-28, server/discover). */
function discover(
  supportedVersions: readonly string[],
  { capabilities }: Extended,
  { server, runtime, toolkit }: RequestContext,
): MethodReply {
  const instructions = runtime.catalog.instructions(toolkit);
  const members = JSON.stringify({ supportedVersions, capabilities, instructions }).slice(0, -1);
  return { resultText: `${members}${listingEnd(server)}}` };
}
