/** The interface through which features extend MCP, and MCP with all extensions. */
import { wrapped } from "../../../core/lib/wrapped.ts";
import type { ClientCapability } from "../../../core/model/elicitation.ts";
import type { MaybeResponse } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { NoEra, Opening } from "../transport/era.ts";
import type { ExchangeFacts, Method } from "../transport/exchange.ts";
import { capabilitiesOf } from "../wire/capabilities.ts";
import { type ReadParams, readCall } from "../wire/read-call.ts";
import { type ReadTool, type RenderAccepted, readPlain } from "./tools.ts";

export type Methods = ReadonlyMap<string, Method>;

/** Answers a request of 2026-07-28 with a stream of its own. */
export type Streamer = (facts: ExchangeFacts, request: RpcRequest) => MaybeResponse;

/** What one feature adds to MCP. */
export interface McpExtension {
  readonly capabilities?: Readonly<Record<string, object>>;
  /** Adds methods to all revisions, or wraps existing ones. */
  readonly methods?: (plain: Methods) => Methods;
  /** What it adds only to 2026-07-28. */
  readonly modern?: {
    /** Adds methods, or wraps existing ones. */
    readonly methods?: (plain: Methods) => Methods;
    /** By name of the method. */
    readonly streams?: Readonly<Record<string, Streamer>>;
    /** Checks the headers of a request for one of its methods. @returns why the request is refused, if it is */
    readonly wrongHeader?: (opening: Opening, headers: Headers) => NoEra | undefined;
  };
  /** What it adds only to the revisions with a handshake. */
  readonly legacy?: { readonly methods?: (plain: Methods) => Methods };
  /** Returns further capabilities of a client. Both arguments are as the client sent them, not validated yet. */
  readonly clientCapabilities?: (capabilities: unknown, clientInfo: unknown) => readonly ClientCapability[];
  /** Changes the facts about a request before it is handled. */
  readonly facts?: (facts: ExchangeFacts) => ExchangeFacts;
  /** Reads further parameters of `tools/call`. */
  readonly readCall?: (next: ReadParams) => ReadParams;
  /** Reads further parts of the calls of some tools, once the tool is found. */
  readonly readTool?: (next: ReadTool) => ReadTool;
  readonly renderAccepted?: RenderAccepted;
}

/** MCP with all extensions of a deployment, as the eras use it. */
export interface Extended {
  /** The server's capabilities, the same in every revision. */
  readonly capabilities: Readonly<Record<string, object>>;
  modernMethods(plain: Methods): Methods;
  legacyMethods(plain: Methods): Methods;
  /** By name of the method. */
  readonly streams: ReadonlyMap<string, Streamer>;
  wrongHeader(opening: Opening, headers: Headers): NoEra | undefined;
  capabilitiesOf(capabilities: unknown, clientInfo: unknown): ReadonlySet<ClientCapability>;
  factsOf(facts: ExchangeFacts): ExchangeFacts;
  readonly readCall: ReadParams;
  readonly readTool: ReadTool;
  readonly renderAccepted: RenderAccepted;
}

const same = (methods: Methods) => methods;

/** @param extensions the outermost first: each one wraps those after it */
export function extended(extensions: readonly McpExtension[]): Extended {
  const streams = extensions.toReversed().flatMap(({ modern }) => Object.entries(modern?.streams ?? {}));
  const more = extensions.flatMap(({ clientCapabilities }) => clientCapabilities ?? []);
  const changes = extensions.flatMap(({ facts }) => facts ?? []);
  const added = extensions.map(({ capabilities }) => capabilities);
  const methodsOf = (era: "modern" | "legacy", plain: Methods) =>
    extensions.reduceRight((inner, { methods = same, [era]: own }) => (own?.methods ?? same)(methods(inner)), plain);
  return {
    capabilities: Object.assign({ tools: { listChanged: true } }, ...added, { logging: {} }),
    modernMethods: (plain) => methodsOf("modern", plain),
    legacyMethods: (plain) => methodsOf("legacy", plain),
    streams: new Map(streams),
    wrongHeader(opening, headers) {
      for (const { modern } of extensions) {
        const wrong = modern?.wrongHeader?.(opening, headers);
        if (wrong) return wrong;
      }
      return undefined;
    },
    capabilitiesOf(capabilities, clientInfo) {
      const plain = capabilitiesOf(capabilities);
      const others = more.flatMap((read) => read(capabilities, clientInfo));
      return others.length > 0 ? new Set([...plain, ...others]) : plain;
    },
    factsOf: (given) => changes.reduceRight((facts, change) => change(facts), given),
    readCall: wrapped(readCall, extensions, (extension) => extension.readCall),
    readTool: wrapped(readPlain, extensions, (extension) => extension.readTool),
    renderAccepted: extensions.find((extension) => extension.renderAccepted)?.renderAccepted ?? (() => undefined),
  };
}
