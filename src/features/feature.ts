/** What a part of the Worker that a fork may do without can add to it. Types only: features/manifests.ts lists them. */
import type { CreateSignIn } from "../access/sign-in.ts";
import type { CreateTokenVerifier } from "../access/tokens.ts";
import type { Execute, Steps } from "../core/call/execute.ts";
import type { RunTool } from "../core/call/run-tool.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import type { App, Deployment, Home } from "../deployment.ts";
import type { Protocol } from "../http/request-context.ts";
import type { McpExtension } from "../protocols/mcp/methods/extension.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Each member is optional. Functions that are given `next` wrap it: of two features, the one that comes earlier in
 * features/manifests.ts is outside. All of them are called once, when the Worker starts (compose.ts).
 */
export interface Feature {
  /** Reads its settings: the log has what is wrong with them. */
  readonly readSettings?: Manifest["readSettings"];
  /** Adds what the core needs of the world, from the deployment's bindings. @param runtime with what features inside add */
  readonly provide?: (runtime: Runtime) => Runtime;
  /** Does something around a call. */
  readonly aroundCall?: (next: Execute) => Execute;
  /** Carries out some calls in another way. @param run runs a tool, with what features do around it */
  readonly steps?: (next: Steps, run: RunTool) => Steps;
  /** Does something around the run of a tool, whose call has been authorized and parsed. */
  readonly aroundRun?: (next: RunTool) => RunTool;
  /** Endpoints below all paths of the server; undefined if this deployment lacks what they need. */
  readonly endpoints?: (runtime: Runtime) => Protocol | undefined;
  readonly mcp?: McpExtension;
  /** Answers at `/`. */
  readonly home?: (next: Home) => Home;
  /** The runtime of requests that are not known to be an app's rather than a model's. */
  readonly forModels?: (runtime: Runtime) => Runtime;
  /** The Worker's own sign-in. */
  readonly createSignIn?: CreateSignIn;
  /** The check of tokens that others sign. */
  readonly createTokenVerifier?: CreateTokenVerifier;
  /** Makes the Worker in another way. */
  readonly aroundWorker?: (next: CreateWorker) => CreateWorker;
}

export type CreateWorker = (deployment: Deployment) => App;
