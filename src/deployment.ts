/** The parts from which the Worker is built, and the app that is built from them. Types only. */
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
  /** Undefined if they are turned off. */
  readonly documents?: Documents | undefined;
}

export interface DocumentSettings {
  /** Environments of wrangler.toml share one bundle, but each may turn the documents off for itself. */
  readonly isOn: boolean;
  readonly description: string | undefined;
  readonly registryName: string | undefined;
}

/** Documents for machines. The endpoints are for callers; the documents of `serve` are public. */
export interface Documents extends Protocol {
  /** @returns undefined if there is no public document at this path */
  serve(request: Request, path: string): Promise<Response> | undefined;
}

export type HomeAbout = Pick<Deployment, "server" | "documentSettings">;

/** Responds to requests for `/`. */
export type Home = (about: HomeAbout, c: Context) => MaybePromise<Response>;

/** Hides the Hono app, because routes added to it later would never run. A fork's routes go in `tools/worker.ts`. */
export interface App {
  fetch(request: Request): MaybeResponse;
}
