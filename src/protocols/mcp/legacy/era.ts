/** Serves the revisions with a handshake, 2024-11-05 to 2025-11-25, whose requests have sessions; and bare clients. */
import { isPromise, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { partitionOf } from "../../../core/model/principal.ts";
import type { MaybeResponse, RequestContext } from "../../../http/request-context.ts";
import { empty } from "../../../http/response.ts";
import type { Extended } from "../methods/extension.ts";
import { dispatch } from "../transport/dispatch.ts";
import type { Era, EraMatch, ValidMessage } from "../transport/era.ts";
import { refuse } from "../transport/error-response.ts";
import { NO_CAPABILITIES } from "../wire/capabilities.ts";
import { answerBatch } from "./batch.ts";
import { legacyDialects } from "./dialect.ts";
import { getStream } from "./get-stream.ts";
import { ResumableAnswer } from "./resumable-stream.ts";
import { deliver } from "./session-relay.ts";
import {
  isAnonymousSession,
  isLegacyRevision,
  knownSession,
  LEGACY_REVISIONS,
  type LegacyRevision,
  type McpSession,
  relayBox,
  unknownSession,
} from "./sessions.ts";

export const LEGACY = LEGACY_REVISIONS;

export function legacyEra(mcp: Extended): Era {
  const answer = answerer(mcp, legacyDialects(mcp));
  return {
    name: "legacy",
    match(revision) {
      return revision === undefined || isLegacyRevision(revision) ? { era: "legacy", revision } : undefined;
    },
    post: (context, message, match) => post(context, message, match, answer),
    postBatch: (context, values) => postBatch(context, values, answer),
    get: getStream,
    endSession,
  };
}

/** Revision and session of a request. A bare client has neither. */
interface Opened {
  readonly revision: LegacyRevision | undefined;
  readonly session: McpSession | undefined;
}

/** Answers a message once its revision and session are known. */
type Answer = (
  context: RequestContext,
  message: ValidMessage,
  opened: Response | Opened,
  isBatched?: boolean,
) => MaybeResponse;

function post(context: RequestContext, message: ValidMessage, { revision }: EraMatch, answer: Answer): MaybeResponse {
  // `initialize` begins a session even if it has the id of an earlier one. A client whose session has ended should
  // leave the id out, but a 404 would only make it send the same request again.
  const begins = message.kind === "request" && message.method === "initialize";
  const opening = begins ? openedOf(revision, undefined) : open(context, revision);
  if (!isPromise(opening)) return answer(context, message, opening);
  return opening.then((opened) => answer(context, message, opened));
}

function open(context: RequestContext, named: string | undefined): MaybePromise<Response | Opened> {
  const handle = context.headers.get("mcp-session-id");
  return handle === null ? openedOf(named, undefined) : openSession(context, named, handle);
}

async function openSession(
  context: RequestContext,
  named: string | undefined,
  handle: string,
): Promise<Response | Opened> {
  const session = await knownSession(context, handle);
  // If the session started before its client signed in, ignore it instead of failing: clients keep sending its id, and
  // do not start another session.
  if (session === undefined && !(await isAnonymousSession(context, handle))) return unknownSession();
  return openedOf(named, session);
}

function openedOf(named: string | undefined, session: McpSession | undefined): Opened {
  return { revision: isLegacyRevision(named) ? named : session?.revision, session };
}

function answerer(mcp: Extended, dialectOf: ReturnType<typeof legacyDialects>): Answer {
  return (context, message, opened, isBatched) => {
    if (opened instanceof Response) return opened;
    const { revision, session } = opened;
    // Streamable HTTP, "Sending Messages to the Server": notifications and responses are accepted without a body.
    if (message.kind !== "request") return deliver(context, message, session).then(() => empty(202));
    const facts = {
      context,
      dialect: dialectOf(revision),
      session,
      capabilities: session?.capabilities ?? NO_CAPABILITIES,
      resumable: session && new ResumableAnswer(context, session, message.id),
      isBatched,
    };
    return dispatch(message, mcp.factsOf(facts));
  };
}

/** Batches exist only in 2025-03-26 (basic/index, Batching). Clients that do not name a revision may also send them. */
async function postBatch(context: RequestContext, values: readonly unknown[], answer: Answer): Promise<Response> {
  const named = context.headers.get("mcp-protocol-version") ?? undefined;
  const opened = await open(context, named);
  if (opened instanceof Response) return opened;
  const batches = (revision: string | undefined) => revision === undefined || revision === "2025-03-26";
  if (!batches(named) || !batches(opened.revision)) return refuse(400, "This revision does not support batches");
  return answerBatch(values, context, async (message) => answer(context, message, opened, true));
}

async function endSession(context: RequestContext): Promise<Response> {
  const handle = context.headers.get("mcp-session-id");
  if (handle === null) return refuse(400, "The header Mcp-Session-Id is missing: it names the session to end");
  const session = await knownSession(context, handle);
  if (session === undefined) return unknownSession();
  const { sessions, changeFeed, relay } = context.runtime;
  await sessions.end(context.principal.id, session.id);
  // Also end its open streams, in all isolates.
  await Promise.all([
    changeFeed.end(partitionOf(context.principal), session.id),
    relay.close(relayBox(context, session)),
  ]);
  return empty(204);
}
