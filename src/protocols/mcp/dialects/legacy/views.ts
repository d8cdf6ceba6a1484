/** The dialects of the revisions with a handshake, in a fork with views: a client declares in it that it shows them. */
import { isRecord } from "../../../../core/lib/json.ts";
import type { Dialect } from "../../transport/dialect.ts";
import type { Exchange, Method } from "../../transport/exchange.ts";
import { announced, declaresViews } from "../../views/capability.ts";
import { methodsWithViews } from "../../views/methods.ts";
import type { LegacyRevision } from "./sessions.ts";

type DialectOf = (revision: LegacyRevision | undefined) => Dialect;

/** Wraps the function that finds the dialect of a revision. */
export function legacyDialectWithViews(inner: DialectOf): DialectOf {
  // One for each revision, as without views.
  const made = new Map<Dialect, Dialect>();
  const make = (plain: Dialect): Dialect => {
    const initialize = announcing(plain.methods.get("initialize") as Method);
    const methods = new Map([...methodsWithViews(plain.methods, showsViews), ["initialize", initialize] as const]);
    const dialect = { ...plain, methods };
    made.set(plain, dialect);
    return dialect;
  };
  return (revision) => {
    const plain = inner(revision);
    return made.get(plain) ?? make(plain);
  };
}

/** The id of a session carries what its handshake declared. */
function showsViews(_request: unknown, { capabilities }: Exchange): boolean {
  return capabilities.has("views");
}

/** Announces the extension to a client that declares it. */
function announcing(initialize: Method): Method {
  return async (request, exchange) => {
    const { params } = request;
    const reply = await initialize(request, exchange);
    if (!("result" in reply) || !declaresViews(isRecord(params) && params.capabilities)) return reply;
    return { ...reply, result: { ...reply.result, capabilities: announced(reply.result.capabilities) } };
  };
}
