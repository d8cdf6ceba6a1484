/** OXP 1.0 over HTTP: health, listing, call. Reads, executes, renders; decides nothing about a call. */
import { execute } from "../../core/execute.ts";
import { isRecord } from "../../core/json.ts";
import {
  answerListing,
  checkedKey,
  hasBody,
  idempotencyKeyOf,
  json,
  listingOf,
  listingTag,
  type Protocol,
  readJson,
  readTrace,
  type Visit,
} from "../http.ts";
import { listTools } from "./list.ts";
import { isSupportedVersion, readCall, readVersion, UNSUPPORTED_VERSION } from "./read.ts";
import { render, serverError } from "./render.ts";

export const LISTING = "oxp";

export const oxp: Protocol = {
  endpoints: [
    { method: "GET", path: "/health", open: true, serve: () => json({ status: "ok" }) },
    // LangChain's REST client asks for it before anything else.
    { method: "GET", path: "/info", serve: ({ server }) => json({ version: server.version }) },
    { method: "GET", path: "/tools", serve: list },
    { method: "POST", path: "/tools/call", serve: call },
    // Every example in the OXP documents posts here.
    { method: "POST", path: "/call", serve: call },
  ],
  httpError: (status, message, headers) => serverError(status, message, undefined, headers),
};

/** OXP 1.0, List Tools. The version may come in a body, as clients that cannot send one on GET put it elsewhere. */
async function list({ request, host, toolkit, limits }: Visit): Promise<Response> {
  const named = request.url.includes("?") ? new URL(request.url).searchParams.get("$schema") : null;
  const header = request.headers.get("oxp-version");
  if (named !== null && !isSupportedVersion(named)) return serverError(400, UNSUPPORTED_VERSION);
  if (header !== null && header !== "1.0" && !isSupportedVersion(header)) return serverError(400, UNSUPPORTED_VERSION);
  if (hasBody(request)) {
    const body = await readJson(request, limits);
    if ("bad" in body) return serverError(body.bad.status, body.bad.message);
    if (!isRecord(body.value)) return serverError(400, "The request body must be a JSON object");
    const problem = readVersion(body.value);
    if (problem) return serverError(400, problem);
  }
  const { catalog } = host;
  const listing = catalog.listing(LISTING, toolkit, () =>
    listingOf(listingTag(host, LISTING, toolkit), listTools(catalog, toolkit)),
  );
  return answerListing(request, listing);
}

async function call({ request, host, principal, toolkit, limits, challenge }: Visit): Promise<Response> {
  const body = await readJson(request, limits);
  if ("bad" in body) return serverError(body.bad.status, body.bad.message);
  const read = readCall(body.value);
  if ("problem" in read) return serverError(400, read.problem);
  const { tool, input, traceId, context } = read.value;
  // A call_id goes before the header: it names the call also where a proxy adds headers of its own.
  const key = read.value.callId ?? idempotencyKeyOf(request);
  if (key !== undefined && checkedKey(key) === undefined) {
    return serverError(400, "The Idempotency-Key header must have 1 to 255 characters");
  }
  const callId = key ?? crypto.randomUUID();
  const ending = await execute(
    {
      callId,
      protocol: LISTING,
      tool,
      toolkit,
      input,
      key,
      principal,
      context,
      trace: traceId === undefined ? readTrace(request.headers) : { ...readTrace(request.headers), id: traceId },
      signal: () => request.signal,
    },
    host,
  );
  return render(ending, callId, challenge);
}
