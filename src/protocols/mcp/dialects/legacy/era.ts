/** The revisions with a handshake, 2024-11-05 to 2025-11-25: requests belong to sessions. Bare clients have none. */

import { isPromise, type MaybePromise } from "../../../../core/lib/maybe-promise.ts";
import { partitionOf } from "../../../../core/model/principal.ts";
import type { MaybeResponse, RequestContext } from "../../../../http/request-context.ts";
import { empty } from "../../../../http/response.ts";
import { keepRequest } from "../../../json-rpc.ts";
import { dispatch } from "../../transport/dispatch.ts";
import type { Claim, Era, ValidMessage } from "../../transport/era.ts";
import { refuse } from "../../transport/refuse.ts";
import { NO_CAPABILITIES } from "../../wire/capabilities.ts";
import { answerBatch } from "./batch.ts";
import { legacyDialect } from "./dialect.ts";
import { getStream } from "./get-stream.ts";
import { hear } from "./mailbox.ts";
import { ResumableAnswer } from "./resumable-stream.ts";
import {
  isAnonymous,
  isLegacyRevision,
  knownSession,
  LEGACY_REVISIONS,
  type LegacyRevision,
  type McpSession,
  relayBox,
  unknownSession,
} from "./sessions.ts";

export const legacy: Era = {
  name: "legacy",
  revisions: LEGACY_REVISIONS,
  claim(revision) {
    return revision === undefined || isLegacyRevision(revision) ? { era: "legacy", revision } : undefined;
  },
  post,
  postBatch,
  get: getStream,
  endSession,
};

/** What a request belongs to. Where both are absent it is a bare client's. */
interface Opened {
  readonly revision: LegacyRevision | undefined;
  readonly session: McpSession | undefined;
}

function post(context: RequestContext, message: ValidMessage, { revision }: Claim): MaybeResponse {
  const opening = open(context, revision);
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
  // A session that began before its client signed in is nothing to go on with, and nothing to stumble over: clients
  // keep its id, and do not begin another.
  if (session === undefined && !(await isAnonymous(context, handle))) return unknownSession();
  return openedOf(named, session);
}

function openedOf(named: string | undefined, session: McpSession | undefined): Opened {
  return { revision: isLegacyRevision(named) ? named : session?.revision, session };
}

function answer(
  context: RequestContext,
  message: ValidMessage,
  opened: Response | Opened,
  isBatched?: boolean,
): MaybeResponse {
  if (opened instanceof Response) return opened;
  const { revision, session } = opened;
  // Streamable HTTP, "Sending Messages to the Server": notifications and responses are accepted without a body.
  if (message.kind !== "request") return hear(context, message, session).then(() => empty(202));
  return dispatch(message, {
    context,
    dialect: legacyDialect(revision),
    session,
    capabilities: session?.capabilities ?? NO_CAPABILITIES,
    resumable:
      session && revision && revision >= "2025-11-25" ? new ResumableAnswer(context, session, message.id) : undefined,
    isBatched,
  });
}

/** 2025-03-26, basic/index, Batching: that revision only, and clients that name none. */
async function postBatch(context: RequestContext, values: readonly unknown[]): Promise<Response> {
  const named = context.headers.get("mcp-protocol-version") ?? undefined;
  const opened = await open(context, named);
  if (opened instanceof Response) return opened;
  const batches = (revision: string | undefined) => revision === undefined || revision === "2025-03-26";
  if (!batches(named) || !batches(opened.revision)) return refuse(400, "This revision has no batches");
  return answerBatch(values, context, async (message) => answer(context, message, opened, true));
}

async function endSession(context: RequestContext): Promise<Response> {
  const handle = context.headers.get("mcp-session-id");
  if (handle === null) return refuse(400, "DELETE ends a session: the header Mcp-Session-Id is missing");
  const session = await knownSession(context, handle);
  if (session === undefined) return unknownSession();
  const { sessions, changeFeed, relay } = context.runtime;
  await sessions.end(context.principal.id, session.id);
  // Its open streams too, wherever they are.
  await Promise.all([
    changeFeed.end(partitionOf(context.principal), session.id),
    relay.close(relayBox(context, session)),
  ]);
  return empty(204);
}

keepRequest('{"name":"","arguments":{}}');
