/** The client: builds the requests, with the id, context and limits of each call. */
import type { RequestLimits } from "../lib/http.ts";
import { randomId } from "../lib/random-id.ts";
import { baseOf } from "./address.ts";
import type { Attempted } from "./errors.ts";
import { readResult, readTools, statusError } from "./read-response.ts";
import { type Send, sender } from "./request.ts";
import { mergeContexts, missingOf, type Needs, secretsIn } from "./requirements.ts";
import { attempt, type Retry, type RetryOptions } from "./retry.ts";
import type { Token } from "./token.ts";
import type { CallContext, CallOptions, ToolCaller, ToolDefinition } from "./types.ts";

export interface OxpClientOptions extends Pick<RequestLimits, "timeoutMs" | "maxBytes" | "fetch"> {
  /** Address of the server, such as `https://host`, or of one toolkit, such as `https://host/calculator`. */
  readonly url: string | URL;
  /** Sent as `OXP-API-Key`. */
  readonly apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer`. A function is called at the first request, and once more after each 401. */
  readonly token?: Token | undefined;
  /** Sent with every call. A call's own context takes precedence. */
  readonly context?: CallContext | undefined;
  /** When a call is sent again, and how often. false: never. */
  readonly retry?: RetryOptions | false | undefined;
}

export interface OxpCallOptions extends CallOptions {
  /** Ids of files that were uploaded to the server: `context.attachments`, an extension of Trivet's. */
  readonly attachments?: readonly string[] | undefined;
  /** Overrides the client's limit for each request. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's options, member by member. */
  readonly retry?: RetryOptions | false | undefined;
  /** Called before each wait, to show progress or to count. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

export interface OxpResult {
  /** null or undefined for a tool that returns nothing. */
  readonly value: unknown;
  readonly callId: string;
  /** How long the tool ran, according to the server. */
  readonly durationMs: number | undefined;
  /** How many attempts were made: 1 if the first succeeded. */
  readonly attempts: number;
}

/** For `list` and `health`, which send one request. */
const ONCE: Attempted = { attempts: 1 };

export class OxpClient implements ToolCaller {
  readonly #base: string;
  readonly #send: Send;
  readonly #options: OxpClientOptions;
  /** The last listing that had an ETag. */
  #listed: { readonly etag: string; readonly tools: readonly ToolDefinition[] } | undefined;

  /** @throws {TypeError} for an address or a credential that cannot be right */
  constructor(options: OxpClientOptions) {
    this.#options = options;
    this.#base = baseOf(options.url);
    this.#send = sender(options);
  }

  /**
   * Lists the tools, all versions of each. If they have not changed since the last time, the server need not send them
   * again (ETag), and the same array is returned.
   *
   * @throws {OxpError} and the reason of the signal once it is aborted
   */
  async list({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly ToolDefinition[]> {
    const last = this.#listed;
    const headers: Record<string, string> = last ? { "if-none-match": last.etag } : {};
    const limits = { ...this.#options, signal };
    const answer = await this.#send(`${this.#base}/tools`, { method: "GET", headers, limits, attempted: ONCE });
    if (last && answer.status === 304) return last.tools;
    const tools = readTools(answer, ONCE);
    const etag = answer.headers.get("etag");
    this.#listed = etag === null ? undefined : { etag, tools };
    return tools;
  }

  /**
   * @returns whether the server is ready for calls: false for the status 503
   * @throws {OxpError} if that cannot be told, and the reason of the signal once it is aborted
   */
  async health({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    const limits = { ...this.#options, signal };
    // Without credentials: health needs none (OXP 1.0, Health), and a wrong one says nothing about the server.
    const answer = await sender({})(`${this.#base}/health`, { method: "GET", limits, attempted: ONCE });
    if (answer.status === 503) return false;
    if (answer.status !== 200) throw statusError(answer, ONCE);
    return true;
  }

  /**
   * Calls a tool, and sends the call again, with the same id, if it failed in a way that may pass.
   *
   * @param tool `Toolkit.Tool`, which is its latest version, or `Toolkit.Tool@1.0.0`
   * @throws {OxpError} with a class for each case, and the reason of the signal once it is aborted
   *
   * @example
   * const { value } = await client.call("Calculator.Add", { a: 1, b: 2 });
   */
  async call(
    tool: string,
    input: Readonly<Record<string, unknown>> = {},
    options: OxpCallOptions = {},
  ): Promise<OxpResult> {
    const { callId = randomId(), attachments, signal, onRetry } = options;
    const context = mergeContexts(this.#options.context, options.context);
    const files = attachments?.length ? { attachments: attachments.map((file_id) => ({ file_id })) } : {};
    const body = JSON.stringify({
      $schema: "urn:oxp:1.0",
      request: { tool_id: tool, call_id: callId, input, context: { ...context, ...files } },
    });
    const outgoing = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      secrets: secretsIn(context),
      limits: { ...this.#options, signal, timeoutMs: options.timeoutMs ?? this.#options.timeoutMs },
    } as const;
    const once = async (attempts: number): Promise<OxpResult> => {
      const attempted = { callId, attempts };
      const answer = await this.#send(`${this.#base}/tools/call`, { ...outgoing, attempted });
      return { ...readResult(answer, attempted), callId, attempts };
    };
    return attempt(once, retryOf(this.#options.retry, options.retry), { signal, onRetry });
  }

  /**
   * Returns what a tool needs that is neither in the client's context nor in `context`. A call may still succeed,
   * because the server may have values of its own.
   *
   * @param tool a member of the listing
   * @returns undefined if nothing is missing
   */
  missing(tool: Pick<ToolDefinition, "requirements">, context?: CallContext): Needs | undefined {
    return missingOf(tool, mergeContexts(this.#options.context, context));
  }
}

function retryOf(client: RetryOptions | false = {}, call: RetryOptions | false | undefined): RetryOptions | false {
  if (call === undefined || call === false || client === false) return call ?? client;
  return { ...client, ...call };
}
