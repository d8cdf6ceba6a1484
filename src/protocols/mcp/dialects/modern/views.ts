/** 2026-07-28 in a fork with views: a client declares with each request that it shows them. */
import { isRecord } from "../../../../core/lib/json.ts";
import type { RpcRequest } from "../../../json-rpc.ts";
import type { Era } from "../../transport/era.ts";
import type { Method } from "../../transport/exchange.ts";
import { announced, declaresViews } from "../../views/capability.ts";
import { methodsWithViews } from "../../views/methods.ts";
import type { MoreMethods } from "./era.ts";
import { META } from "./meta.ts";

type MakeEra = (supported: () => readonly string[], more?: MoreMethods) => Era;

/** Wraps the function that makes the era, with tasks or without. */
export function modernEraWithViews(inner: MakeEra): MakeEra {
  return (supported, more = (methods) => methods) =>
    inner(supported, (plain) => {
      const discover = announcing(plain.get("server/discover") as Method);
      return more(new Map([...methodsWithViews(plain, showsViews), ["server/discover", discover]]));
    });
}

function showsViews({ params }: RpcRequest): boolean {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  return declaresViews(meta[META.clientCapabilities]);
}

/** Announces the extension to a client that declares it. */
function announcing(discover: Method): Method {
  return async (request, exchange) => {
    const reply = await discover(request, exchange);
    if (!("resultText" in reply) || !showsViews(request)) return reply;
    const result = JSON.parse(reply.resultText);
    return {
      ...reply,
      resultText: JSON.stringify({ ...result, capabilities: announced(result.capabilities) }),
    };
  };
}
