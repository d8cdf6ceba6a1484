/** What the page knows of the server: filled by api/catalog.ts, shown by views/. */
import type { JsonSchema, ToolRequirements } from "../../../../client/oxp/types.ts";

export type { JsonSchema, ToolRequirements };

export interface Catalog {
  readonly server: Server;
  /** In the order of their names. */
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** What could not be loaded, and why: sentences. */
  readonly problems: readonly string[];
}

export interface Server {
  readonly name: string;
  readonly title?: string | undefined;
  readonly version: string;
  readonly description?: string | undefined;
  readonly website?: string | undefined;
  /** What models are told of the server when they connect: Markdown or plain text. */
  readonly instructions?: string | undefined;
}

export interface Tool {
  /** Without the version: `Calculator.Add`. */
  readonly id: string;
  /** `Calculator` */
  readonly toolkit: string;
  /** Over MCP and OpenTool: `Calculator_Add`. */
  readonly name: string;
  readonly title?: string | undefined;
  /** The newest first; at least one. */
  readonly versions: readonly ToolVersion[];
  /** MCP's hints. undefined if the server does not say. */
  readonly annotations: {
    readonly readOnly?: boolean | undefined;
    readonly destructive?: boolean | undefined;
    readonly idempotent?: boolean | undefined;
    readonly openWorld?: boolean | undefined;
  };
  readonly scopes: readonly string[];
  /** Whether a call may go on after its request has ended. */
  readonly isLong: boolean;
  /** Whether its calls share values, for as long as the caller goes on with the same session. */
  readonly keepsSession: boolean;
  /** Whether it takes files that were uploaded before the call. */
  readonly takesFiles: boolean;
  /** Whether only views may call it: then only MCP lists it, and no model sees it. */
  readonly isForViews: boolean;
  /** Estimate of what the tool's definition costs a model, over MCP. */
  readonly tokens: number;
}

export interface ToolVersion {
  /** `1.0.0` */
  readonly version: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** undefined if it returns nothing. */
  readonly output: JsonSchema | undefined;
  readonly requirements: ToolRequirements;
}

/** What the listings say of prompts and resources alike. */
interface Listed {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

export interface Prompt extends Listed {
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly required: boolean;
  }[];
}

export interface Resource extends Listed {
  readonly uri: string;
}

/** Resources whose addresses have parts to fill in: `notes://{id}`, `search://notes{?q}`. */
export interface ResourceTemplate extends Listed {
  readonly uriTemplate: string;
}
