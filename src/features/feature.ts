/** What an optional part of the Worker can add to it. Types only: features/manifests.ts lists the features. */
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
 * features/manifests.ts is the outer one. All of them are called once, when the Worker starts (compose.ts).
 */
export interface Feature {
  /** Reads the feature's settings. Problems with them are logged. */
  readonly readSettings?: Manifest["readSettings"];
  /** Adds ports to the runtime, from the deployment's bindings. @param runtime has what inner features have added */
  readonly provide?: (runtime: Runtime) => Runtime;
  /** Wraps a whole call, from before it is authorized. */
  readonly aroundCall?: (next: Execute) => Execute;
  /** Replaces steps of some calls. @param run runs a tool, with what features do around it */
  readonly steps?: (next: Steps, run: RunTool) => Steps;
  /** Wraps the run of a tool, whose call has been authorized and parsed. */
  readonly aroundRun?: (next: RunTool) => RunTool;
  /** Endpoints below all paths of the server; undefined if this deployment lacks what they need. */
  readonly endpoints?: (runtime: Runtime) => Protocol | undefined;
  readonly mcp?: McpExtension;
  /** Answers at `/`. */
  readonly home?: (next: Home) => Home;
  /** The runtime for requests that may come from a model: all that are not known to come from an app. */
  readonly forModels?: (runtime: Runtime) => Runtime;
  readonly createSignIn?: CreateSignIn;
  /** Verifies tokens that other issuers sign. */
  readonly createTokenVerifier?: CreateTokenVerifier;
  readonly aroundWorker?: (next: CreateWorker) => CreateWorker;
}

export type CreateWorker = (deployment: Deployment) => App;
