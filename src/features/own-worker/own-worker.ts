/** What a fork's `tools/worker.ts` can add to the Worker. Types only. */
import type {
  ExecutionContext,
  ForwardableEmailMessage,
  MessageBatch,
  ScheduledController,
} from "@cloudflare/workers-types";
import type { Hono, MiddlewareHandler } from "hono";
import type { Bindings } from "../../core/model/definition.ts";
import type { Principal } from "../../core/model/principal.ts";

/** Hono environment of handlers behind `authenticate`. */
export interface Authenticated {
  Variables: { principal: Principal };
}

/**
 * Handlers that a fork adds to the Worker, all optional. `Env` is the type of the bindings and variables, by default
 * those in wrangler.toml; every handler receives them, routes as `c.env`.
 */
export interface OwnWorker<Env extends object = Bindings, Message = unknown> {
  /**
   * Registers Hono middleware and routes before it returns. Every request passes through them first, before any
   * protocol, sign-in and the 404 response. They may respond on any path, including the server's own; if they do not,
   * the server responds. They are open to everyone unless `authenticate` comes before them: it admits callers who may
   * call tools, and sets `c.get("principal")`.
   */
  routes?(app: Hono<{ Bindings: Env }>, given: { readonly authenticate: MiddlewareHandler<Authenticated> }): void;
  /** Runs on the schedule in `[triggers]` of wrangler.toml. */
  scheduled?(controller: ScheduledController, env: Env, ctx: ExecutionContext): void | Promise<void>;
  /** Receives messages from the queues that the Worker consumes according to wrangler.toml. */
  queue?(batch: MessageBatch<Message>, env: Env, ctx: ExecutionContext): void | Promise<void>;
  /** Receives mail that Cloudflare Email Routing sends to the Worker. */
  email?(message: ForwardableEmailMessage, env: Env, ctx: ExecutionContext): void | Promise<void>;
}
