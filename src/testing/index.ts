/** The module that tests of tools import as `#test`. Runs in workerd, next to the Worker; never ships. */
import type { Prompts, ResourceUri, Tools, ViewId } from "../generated/tools.d.ts";
import * as untyped from "./call.ts";
import type { CallTool, CompleteField, GetPrompt, ReadResource, ReadView } from "./types.ts";

export type { CallError, Emitted, LogLine, Progress, Result } from "./result.ts";
export type {
  Answer,
  Answers,
  CompletionOptions,
  FakeFetch,
  Options,
  TestFile,
  ToolOptions,
  ViewPage,
} from "./types.ts";

/**
 * Calls a tool as a client does: same validation, requirements, time limit, sessions and storage as in a deployment.
 *
 * @param id      `Toolkit.Tool`, or `Toolkit.Tool@1.0.0` for a version
 * @param input   as a client sends it
 * @param options credentials, session, bindings, and what replaces the user and the network
 * @returns what happened. Resolves even if the call fails: then the result has an `error`
 * @throws if there is no such tool, if it makes a request that `fetch` does not expect, or if it asks a question that
 *         `answers` does not answer
 *
 * @example
 * const { value } = await callTool("Hello.Greet", { name: "world" });
 * expect(value).toBe("Hello, world!");
 */
export const callTool: CallTool<Tools> = untyped.callTool;

/**
 * Gets a prompt as a client does. The value of the result is the list of its messages.
 *
 * @param name as MCP clients see it: `Toolkit_Prompt`
 * @throws like {@link callTool}
 */
export const getPrompt: GetPrompt<Prompts> = untyped.getPrompt;

/**
 * Reads a resource as a client does. The value of the result is the list of its contents, empty if there are none.
 *
 * @throws like {@link callTool}
 */
export const readResource: ReadResource<ResourceUri> = untyped.readResource;

/**
 * Completes what a person types, as a client does, except that a failure is an error here: clients get an empty list.
 * The value of the result is the list of suggestions, empty if the field has no `complete`.
 *
 * @param of    name of a prompt, or URI of a resource with its variables, as its file has it
 * @param field the prompt's argument, or the variable
 * @throws like {@link callTool}
 */
export const complete: CompleteField<Prompts, ResourceUri> = untyped.complete;

/**
 * Reads a tool's view as a host does. The value of the result has the page and what it may do: `{ uri, html, csp, … }`.
 *
 * @param id of the tool: `Toolkit.Tool`
 * @throws like {@link callTool}
 */
export const readView: ReadView<ViewId> = untyped.readView;
