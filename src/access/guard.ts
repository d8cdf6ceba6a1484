/** The guard: admits a request as a principal, or rejects it with a status and a message. Independent of protocols. */

import { MINUTE_MS } from "../core/call/authorize.ts";
import type { Log } from "../core/lib/log.ts";
import { isPromise, type MaybePromise } from "../core/lib/maybe-promise.ts";
import { type Principal, partitionOf } from "../core/model/principal.ts";
import { type Access, type Admission, authenticate, type IncomingRequest, type Refused } from "./authenticate.ts";
import { challenge, type ResourceSettings } from "./protected-resource.ts";

export interface GuardDependencies {
  readonly access: Access;
  readonly resource: ResourceSettings;
  /** Requests per minute for principals without a limit of their own; undefined for no limit. */
  readonly rate: number | undefined;
  readonly rateLimit: (perMinute: number, key: string) => Promise<boolean>;
  readonly log: Log;
}

/** Why a request was rejected. The protocol of the request turns this into its own form of error response. */
export interface Rejection {
  readonly status: 401 | 403 | 429 | 431 | 503;
  readonly message: string;
  readonly headers: Record<string, string>;
}

/**
 * Checks the credential and the rate limit. Returns a promise only if it has to look something up or count.
 *
 * @param toolkit the toolkit's folder name in the request's path, if the path has one
 * @param times how many requests to count (default 1); 0 to check only the credential
 */
export type Guard = (request: IncomingRequest, toolkit: string | undefined, times?: number) => MaybePromise<Guarded>;

type Guarded = Principal | Rejection;

const HOW =
  "A credential is required: an API key in Authorization: Bearer, OXP-API-Key or X-Agent-API-Key, or a token. " +
  "The operator of this deployment creates keys with: npm run keys -- create NAME --remote " +
  "(under npm run start:closed, without --remote)";
const EXPOSED =
  "A credential was sent over plain http and may have been read. Replace it: npm run keys -- revoke ID, " +
  "then npm run keys -- create NAME";

const WAIT = { "retry-after": String(MINUTE_MS / 1_000) };

export function createGuard({ access, resource, rate, rateLimit, log }: GuardDependencies): Guard {
  let hasExplained = false;
  const admit = (admission: Admission, { request, headers }: IncomingRequest, times: number): ReturnType<Guard> => {
    if ("refused" in admission) return refuse(admission, request, headers);
    const { principal } = admission;
    const limit = principal.rate ?? rate;
    return limit === undefined || times === 0 ? principal : count(request, principal, limit, times);
  };
  const refuse = async (refused: Refused, request: Request, headers: Headers): Promise<Rejection> => {
    const { refused: reason, why, key } = refused;
    if (reason === "no credential") {
      if (!hasExplained) log({ level: "warning", message: HOW });
      hasExplained = true;
    } else if (reason === "bad credential" || reason === "exposed" || reason === "too large") {
      // Count every bad credential, whatever is wrong with it, so that all refusals take equally long. Once an address
      // is blocked, no more lines are logged.
      if (await access.failures.count(headers)) return rejection("too many failures", request, resource);
      if (reason === "exposed") log({ level: "warning", message: EXPOSED, key });
      else log({ level: "info", message: "refused", reason, why, key });
    } else if (reason !== "too many failures") {
      log({ level: "info", message: "refused", reason });
    }
    return rejection(reason, request, resource);
  };
  const isWithin = async (principal: Principal, limit: number, times: number): Promise<boolean> => {
    // A rate limiter counts one request at a time.
    for (let counted = 0; counted < times; counted++)
      if (!(await rateLimit(limit, partitionOf(principal)))) return false;
    return true;
  };
  const count = async (request: Request, principal: Principal, limit: number, times: number): Promise<Guarded> => {
    try {
      if (await isWithin(principal, limit, times)) return principal;
    } catch (error) {
      access.report(error);
      return rejection("unavailable", request, resource);
    }
    log({ level: "info", message: "refused", reason: "too many requests", principal: principal.id });
    return { status: 429, message: `Over ${limit} requests a minute; wait and try again`, headers: WAIT };
  };
  return (request, toolkit, times = 1) => {
    const admission = authenticate(request, toolkit, access);
    return isPromise(admission)
      ? admission.then((made) => admit(made, request, times))
      : admit(admission, request, times);
  };
}

function rejection(reason: Refused["refused"], request: Request, resource: ResourceSettings): Rejection {
  const url = new URL(request.url);
  switch (reason) {
    case "no credential":
      // RFC 6750, section 3.1: no error code if the request has no credential.
      return unauthorized(HOW, challenge(url, resource, undefined, resource.baseScopes));
    case "bad credential":
      // The same response whether the credential is unknown, expired, revoked, forged or for another audience.
      return unauthorized(
        "The credential is not valid here",
        challenge(url, resource, "invalid_token", resource.baseScopes),
      );
    case "exposed":
      return rejected(403, "Credentials are accepted over https only. This one was sent in the clear: replace it");
    case "too many failures":
      return rejected(429, "Too many invalid credentials from this address; wait a minute and try again", WAIT);
    case "too large":
      return rejected(431, "The credential is too long");
    case "unavailable":
      return rejected(503, "Credentials cannot be checked at the moment; try again", { "retry-after": "5" });
  }
}

function unauthorized(message: string, wwwAuthenticate: string): Rejection {
  return { status: 401, message, headers: { "www-authenticate": wwwAuthenticate } };
}

function rejected(status: Rejection["status"], message: string, headers: Rejection["headers"] = {}): Rejection {
  return { status, message, headers };
}
