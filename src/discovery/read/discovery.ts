/** The result of discovery: everything found in `tools/`. Types only. */
import type { Instructions } from "../../core/catalog/instructions.ts";
import type { CommonOptions } from "../../core/model/definition.ts";
import type { EventEntry, PromptEntry, ResourceEntry } from "../../core/model/primitives.ts";
import type { Described } from "../../core/model/tool-description.ts";
import type { ForkSettings } from "../../features/manifest.ts";
import type { Problem } from "./problem.ts";

export interface Discovered extends Described {
  readonly path: string;
  /** Its name in the `toolkit.ts` at `path`, if that file defines it. */
  readonly nameInToolkit?: string | undefined;
}

export type DiscoveredPrompt = Omit<PromptEntry, "load"> & { readonly path: string };

export type DiscoveredResource = Omit<ResourceEntry, "load"> & { readonly path: string };

export type DiscoveredEvent = Omit<EventEntry, "load" | "toolkit"> & {
  readonly toolkit: string;
  readonly path: string;
  /** Code that checks what the payload's own schema does not. */
  readonly outputCheck?: string;
};

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

export interface DiscoveredSkill {
  /** The name of its folder, and in its frontmatter: `zone-check`. */
  readonly name: string;
  readonly toolkit: string;
  /** What its URIs begin with: its name, or for a skill inside another one its path: `zone-check/references/types`. */
  readonly place: string;
  readonly description: string;
  /** Every field of its SKILL.md, as its author wrote it. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Sorted by path. Files of skills inside its folder are among them. */
  readonly files: readonly SkillFile[];
  /** The scopes that all tools of its toolkit demand. */
  readonly options: CommonOptions;
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
  /** Its text if it is UTF-8, else its bytes. */
  readonly content: string | { readonly base64: string };
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
  readonly settings: ForkSettings;
}
