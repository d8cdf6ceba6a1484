/** What the Worker is built from, and what comes of it. Types only. */
import type { Context } from "hono";
import type { Guard } from "./access/guard.ts";
import type { ResourceSettings } from "./access/protected-resource.ts";
import type { SignIn } from "./access/sign-in.ts";
import type { MaybePromise } from "./core/lib/maybe-promise.ts";
import type { Runtime } from "./core/ports/runtime.ts";
import type { OriginPolicy } from "./http/origin.ts";
import type { Limits, MaybeResponse, Protocol, ServerInfo } from "./http/request-context.ts";

/** Everything that differs between deployments and tests. */
export interface Deployment {
  readonly runtime: Runtime;
  readonly server: ServerInfo;
  readonly limits: Limits;
  readonly originPolicy: OriginPolicy;
  readonly guard: Guard;
  readonly resource: ResourceSettings;
  readonly signIn: SignIn | undefined;
  readonly documentSettings: DocumentSettings;
  /** Undefined if they are off. */
  readonly documents?: Documents | undefined;
}

/** What the documents for machines (features/documents) are told. */
export interface DocumentSettings {
  /** An environment of wrangler.toml may turn them off for itself alone. */
  readonly isOn: boolean;
  readonly description: string | undefined;
  readonly registryName: string | undefined;
}

/** Documents for machines. The endpoints are for callers, and what `serve` answers is for everyone. */
export interface Documents extends Protocol {
  /** @returns undefined if there is no public document at this path */
  serve(request: Request, path: string): Promise<Response> | undefined;
}

/** What is told of the server at `/`. */
export type HomeAbout = Pick<Deployment, "server" | "documentSettings">;

/** Answers at `/`. */
export type Home = (about: HomeAbout, c: Context) => MaybePromise<Response>;

/** Hides the Hono app, because routes added to it later would never run. A fork's routes go in `tools/worker.ts`. */
export interface App {
  fetch(request: Request): MaybeResponse;
}
