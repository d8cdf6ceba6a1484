/** The objects of OXP 1.0 as a client meets them, with the member names of the specification. Types only. */

/** A JSON Schema, draft 2020-12, without `$ref` (OXP 1.0, ToolDefinition). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** One version of one tool, as `GET /tools` lists it. */
export interface ToolDefinition {
  /** `Toolkit.Tool@1.0.0` */
  readonly id: string;
  /** `Toolkit_Tool`, by convention: 1 to 64 of `A-Z a-z 0-9 _ -`, the same for all versions of the tool. */
  readonly name: string;
  readonly description: string;
  /** Three integers: `1.0.0`. */
  readonly version: string;
  readonly input_schema: { readonly parameters: JsonSchema };
  /** `{}`: any value. `null`: the tool returns nothing. */
  readonly output_schema: JsonSchema | null;
  readonly requirements?: ToolRequirements | undefined;
}

/** What a caller has to send in `context`. */
export interface ToolRequirements {
  readonly authorization?: readonly {
    readonly id: string;
    readonly oauth2?: { readonly scopes?: readonly string[] };
  }[];
  readonly secrets?: readonly { readonly id: string }[];
  readonly user_id?: boolean;
}

/** Secrets and tokens for one call (OXP 1.0, Call Tool Request, Context). */
export interface CallContext {
  readonly authorization?: readonly { readonly id: string; readonly token: string }[];
  readonly secrets?: readonly { readonly id: string; readonly value: string }[];
  readonly user_id?: string;
}

/** Calls tools, as `OxpClient` does. The typed client and the tools for models need no more than this. */
export interface ToolCaller {
  /**
   * @param tool `Toolkit.Tool`, which is its latest version, or `Toolkit.Tool@1.0.0`
   * @returns an object with what the tool returned; `value` is null or undefined for a tool that returns nothing
   */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<{ readonly value: unknown }>;
}

export interface CallOptions {
  /** Identifies the call: if it is sent again with the same id, the tool does not run again. Default: a random UUID. */
  readonly callId?: string | undefined;
  readonly context?: CallContext | undefined;
  readonly signal?: AbortSignal | undefined;
}
