/** The endpoints for callbacks of tasks, and for the list of deliveries (docs/webhooks.md). */
import type { TaskView } from "../../core/model/call-result.ts";
import { byPath } from "../../core/model/issues.ts";
import { isIdentified, partitionOf } from "../../core/model/principal.ts";
import {
  type Callbacks,
  type Delivery,
  type DeliveryFilter,
  type Full,
  finishedTaskEvent,
  type PastEnd,
  type Webhook,
} from "../../core/ports/outbox.ts";
import { readJson } from "../../http/body.ts";
import type { Protocol, RequestContext } from "../../http/request-context.ts";
import { problem as error, json } from "../../http/response.ts";
import { uncached } from "../../http/uncached.ts";
import { fullInWords, isFull } from "./quota.ts";
import { readCallback } from "./read-callback.ts";
import { NAMELESS } from "./with-callbacks.ts";

const TASK = "/api/v1/tasks/:task/webhooks";
const STATES: readonly string[] = ["waiting", "delivered", "dead"] satisfies Delivery["state"][];

export function webhooksApi(callbacks: Callbacks): Protocol {
  const register = async (context: RequestContext): Promise<Response> => {
    if ((await taskOf(context, false)) === undefined) return unknown("task");
    if (!isIdentified(context.principal, context.runtime)) return error(403, NAMELESS);
    const body = await readJson(context);
    if ("bad" in body) return error(body.bad.status, body.bad.message);
    const read = readCallback(body.value, "", callbacks.allowedHosts);
    if ("issues" in read) {
      const errors = byPath(read.issues, "body");
      return json({ message: "Some members are invalid", errors }, 422);
    }
    const task = await taskOf(context, true);
    if (task === undefined) return unknown("task");
    const { id, expiresAt: expires } = task;
    const partition = partitionOf(context.principal);
    const made = await callbacks.register(partition, read.callback, { id, expires }, pastOf(task));
    if (isFull(made)) return full(made);
    return made ? json(webhook(made), 201) : error(409, "The task has 20 callbacks, which is the most");
  };

  const list = async (context: RequestContext): Promise<Response> => {
    const task = await taskOf(context, false);
    if (task === undefined) return unknown("task");
    const webhooks = await callbacks.list(partitionOf(context.principal), task.id);
    return json({ webhooks: webhooks.map(webhook) });
  };

  const deliveries = async (context: RequestContext): Promise<Response> => {
    const state = new URL(context.request.url).searchParams.get("state") ?? undefined;
    if (state !== undefined && !STATES.includes(state)) return error(400, `state is one of ${STATES.join(", ")}`);
    const filter: DeliveryFilter = { of: webhookOf(context), state: state as Delivery["state"] | undefined };
    const found = await callbacks.deliveries(partitionOf(context.principal), filter);
    return found ? json({ deliveries: found.map(delivery) }) : unknown("webhook");
  };

  const redeliver = async (context: RequestContext): Promise<Response> => {
    const { delivery: id = "" } = context.params;
    const again = await callbacks.redeliver(partitionOf(context.principal), id, webhookOf(context));
    if (isFull(again)) return full(again);
    return again ? json({ id, state: "waiting" }, 202) : unknown("delivery");
  };

  return uncached({
    endpoints: [
      { method: "POST", path: TASK, serve: register },
      { method: "GET", path: TASK, serve: list },
      { method: "GET", path: `${TASK}/:webhook/deliveries`, serve: deliveries },
      { method: "POST", path: `${TASK}/:webhook/deliveries/:delivery/redeliver`, serve: redeliver },
      { method: "GET", path: "/api/v1/deliveries", serve: deliveries },
      { method: "POST", path: "/api/v1/deliveries/:delivery/redeliver", serve: redeliver },
    ],
    httpError: error,
  });
}

async function taskOf(
  { runtime, principal, toolkit, params }: RequestContext,
  withResult: boolean,
): Promise<TaskView | undefined> {
  return runtime.tasks?.look(params.task ?? "", { caller: { principal, toolkit }, runtime }, withResult);
}

function webhookOf({ params: { task, webhook } }: RequestContext): DeliveryFilter["of"] {
  return task === undefined || webhook === undefined ? undefined : { task, webhook };
}

/** @returns the end of a task; undefined if it has not ended */
function pastOf({ id, entry, status, result, isHeldBack }: TaskView): PastEnd | undefined {
  const ended = isHeldBack ? "too_large" : result;
  return ended && { ended, event: finishedTaskEvent(id, entry.id, status) };
}

function webhook({ id, url, hasSecret, hasToken }: Webhook) {
  return { id, url, has_secret: hasSecret, has_token: hasToken };
}

function delivery({ id, webhook, url, event, type, state, attempts, at, problem, reason }: Delivery) {
  const time = new Date(at).toISOString();
  return {
    ...{ id, webhook_id: webhook, url, event_id: event, type, state, attempts },
    ...(state === "waiting" ? { next_attempt_at: time } : { ended_at: time }),
    ...{ problem, reason },
  };
}

function full(reason: Full): Response {
  return error(429, fullInWords(reason), { "retry-after": String(Math.ceil(reason.retryAfterMs / 1_000)) });
}

function unknown(what: string): Response {
  return error(404, `There is no such ${what}, it has been forgotten, or it is another caller's`);
}
