/** Views: pages that hosts show beside the results of tools (docs/views.md). Types only. */
import type { Json } from "../lib/json.ts";
import type { ResourceEntry } from "./offers.ts";

/** What a tool's view may do, and how it is shown. Hosts may grant less. */
export interface ViewOptions {
  /** Origins that the view may load from: `https://api.example.com`, `https://*.example.com`. Default: none. */
  readonly csp?: {
    /** For `fetch` and WebSockets. */
    readonly connectDomains?: readonly string[];
    /** For scripts, styles, pictures, fonts, audio and video. */
    readonly resourceDomains?: readonly string[];
    /** For frames in the view. */
    readonly frameDomains?: readonly string[];
    /** For the document's base URI. */
    readonly baseUriDomains?: readonly string[];
  };
  /** What the browser may allow. Check that it does before you use it. */
  readonly permissions?: readonly ("camera" | "microphone" | "geolocation" | "clipboardWrite")[];
  /** Whether the host draws a border around it. Default: the host decides. */
  readonly prefersBorder?: boolean;
  /** An origin of the view's own, in the form that the host defines. */
  readonly domain?: string;
}

/** Who may call a tool, as hosts with views enforce it: the model, or the views of this server. */
export type Visibility = "model" | "app";

/** A view as a resource of the generated module. */
export interface ViewEntry extends ResourceEntry {
  /** Id of the tool that it belongs to. Whoever can see the tool can read the view. */
  readonly tool: string;
}

/** What the generated module `#views` exports. */
export interface Views {
  readonly entries: readonly ViewEntry[];
  /** What the listing says of a tool in addition, by the tool's id. */
  readonly listed: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}
