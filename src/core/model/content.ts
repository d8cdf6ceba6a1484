/** Content other than plain JSON in results, prompts and resources: text, images, audio, embedded resources. */
import type { Json } from "../lib/json.ts";

/** An image for user interfaces (MCP, basic/index, Icons). */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

export type Role = "user" | "assistant";

/** Hints for clients about a resource or a block (MCP, server/resources, Annotations). */
export interface ContentAnnotations {
  readonly audience?: readonly Role[];
  /** 0 (least) to 1 (most). */
  readonly priority?: number;
  /** Date and time with a time zone, as `toISOString()` returns it: clients may refuse anything else. */
  readonly lastModified?: string;
}

/** Contents of one resource: text, or bytes in Base64. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  /** Sent as `_meta`. */
  readonly meta?: Readonly<Record<string, Json>>;
} & ({ readonly text: string } | { readonly blob: string });

interface BlockCommon {
  readonly annotations?: ContentAnnotations;
  /** @deprecated The earlier name of `annotations`. */
  readonly hints?: ContentAnnotations;
  /** Sent as `_meta`. */
  readonly meta?: Readonly<Record<string, Json>>;
}

export type Block = BlockCommon &
  (
    | { readonly type: "text"; readonly text: string }
    /** `data` is Base64. */
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    | { readonly type: "resource"; readonly resource: ResourceContents }
    | {
        readonly type: "resource_link";
        readonly uri: string;
        readonly name: string;
        readonly title?: string;
        readonly description?: string;
        readonly mimeType?: string;
        /** In bytes. */
        readonly size?: number;
        readonly icons?: readonly Icon[];
      }
  );

export interface PromptMessage {
  readonly role: Role;
  readonly content: Block;
}

const RICH = Symbol.for("trivet.rich");

/** A tool's value together with content blocks that present it to a person or a model. */
export interface Rich<Value> {
  readonly value: Value;
  readonly blocks: readonly Block[];
  readonly meta?: Readonly<Record<string, Json>> | undefined;
  readonly omit?: Omitted | undefined;
}

/** A part of a result that repeats the value and that `rich` can omit: the text before the blocks, or the structure. */
export type Omitted = "text" | "structured";

/** Whether a block is an SVG image, which hosts and model APIs refuse: they take PNG, JPEG, GIF and WebP. */
export function isSvgImage(block: Block): boolean {
  return block?.type === "image" && /^image\/svg\b/i.test(block.mimeType);
}

export const SVG_IMAGE =
  "an image block is SVG, which hosts and models refuse: make it a PNG, or send the SVG as a resource or as text";

/** Whether a value is a list of content blocks. `rich` does not check its arguments. */
export function areBlocks(value: unknown): value is readonly Block[] {
  return Array.isArray(value) && value.every((block) => typeof block?.type === "string");
}

/** Whether a tool returned the result of `rich` (`#tool`), not a plain object of the same shape. */
export function isRich(value: unknown): value is Rich<unknown> {
  return typeof value === "object" && value !== null && RICH in value;
}
