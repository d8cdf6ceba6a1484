/** The result of discovery: everything found in `tools/`. Types only. */
import type { Instructions } from "../../core/catalog/instructions.ts";
import type { Demands } from "../../core/model/definition.ts";
import type { EventEntry, PromptEntry, ResourceEntry } from "../../core/model/offers.ts";
import type { Described } from "../../core/model/tool-description.ts";
import type { Problem } from "./problem.ts";

export interface Discovered extends Described {
  readonly path: string;
  /** Its name in the `toolkit.ts` at `path`, if that brings it. */
  readonly broughtAs?: string | undefined;
}

export type DiscoveredPrompt = Omit<PromptEntry, "load"> & { readonly path: string };

export type DiscoveredResource = Omit<ResourceEntry, "load"> & { readonly path: string };

export type DiscoveredEvent = Omit<EventEntry, "load" | "toolkit"> & {
  readonly toolkit: string;
  readonly path: string;
  /** Code that checks what the payload's own schema does not. */
  readonly outputCheck?: string;
};

/** A view, bound to its tool. */
export interface DiscoveredView {
  /** Id of the tool. */
  readonly tool: string;
  /** `ui://weather/forecast-0a1b2c3d.html`: changes with the page. */
  readonly uri: string;
  /** `weather/forecast`, for the name of the generated module. */
  readonly name: string;
  readonly toolkit: string;
  readonly html: string;
}

/** A skill (build/skills). */
export interface DiscoveredSkill {
  /** The name of its folder, and in its frontmatter: `zone-check`. */
  readonly name: string;
  readonly toolkit: string;
  /** What its URIs begin with: its name, or for a skill in the folder of another `zone-check/references/types`. */
  readonly place: string;
  readonly description: string;
  /** Every field of its SKILL.md, as its author wrote it. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Sorted by path. Those of skills in its folder are among them. */
  readonly files: readonly SkillFile[];
  /** The scopes that all tools of its toolkit demand. */
  readonly traits: Demands;
}

export interface SkillFile {
  /** `skill://zone-check/references/types.md` */
  readonly uri: string;
  /** In the folder of the skill: `references/types.md`. */
  readonly path: string;
  readonly file: string;
  readonly mimeType: string;
  /** `sha256:` and 64 hexadecimal digits, of the file's bytes. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** Its text if it is UTF-8. */
  readonly content: string | { readonly base64: string };
}

/** Parts of the Worker that are bundled only if a setting asks for them. */
export interface OptionalParts {
  /** The documents for machines: unless `DOCUMENTS` is "false" everywhere. */
  readonly documents: boolean;
  /** A span for each call: if the runtime makes traces, at the top level or in some environment. */
  readonly traces: boolean;
  /** The workflow that runs long tools: if any environment has it. */
  readonly hasWorkflow: boolean;
  /** The bucket or the objects of files: if any environment has one of them. If undefined, tools that take files say it. */
  readonly hasFiles: boolean | undefined;
  /** The objects of the outbox: if any environment has them. */
  readonly hasOutbox: boolean;
  /** The objects of sessions: if any environment has them. */
  readonly hasSessions: boolean;
  /** The page at /: if any environment serves the folder that it is written to. */
  readonly hasPage: boolean;
  /** The Worker's own sign-in: if `SIGN_IN` is "true" in any environment. */
  readonly hasSignIn: boolean;
  /** The check of tokens: if `TOKENS` is "true" in any environment. */
  readonly takesTokens: boolean;
}

export interface Discovery {
  /** Sorted by id, then by version. */
  readonly tools: readonly Discovered[];
  /** Sorted by name. */
  readonly prompts: readonly DiscoveredPrompt[];
  /** Sorted by URI. */
  readonly resources: readonly DiscoveredResource[];
  /** Sorted by the tool's id. */
  readonly views: readonly DiscoveredView[];
  /** Sorted by name. */
  readonly events: readonly DiscoveredEvent[];
  /** Sorted by name. */
  readonly skills: readonly DiscoveredSkill[];
  /** What the server tells models about itself, if it tells anything. */
  readonly instructions?: Instructions | undefined;
  /** What may surprise an author, but is served. */
  readonly warnings?: readonly Problem[];
  /** Path of `tools/worker.ts`, if it exists. */
  readonly worker?: string | undefined;
  /** What wrangler.toml asks for. */
  readonly parts: OptionalParts;
}
