/** Content for people, as MCP has it: in results of tools, messages of prompts, and resources. */
import { isRecord } from "../../../../client/lib/json.ts";
import { textOr } from "./read.ts";

/** `data` and `blob` are Base64. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string | undefined;
        readonly text?: string | undefined;
        readonly blob?: string | undefined;
      };
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
    };

/** @returns one block, or none if it is of a type that this page does not know */
export function readBlock(block: unknown): Block[] {
  if (!isRecord(block)) return [];
  const { type, text, data, mimeType, uri, name, description, resource } = block;
  if (type === "text" && typeof text === "string") return [{ type, text }];
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return [{ type, data, mimeType: textOr(mimeType, "") }];
  }
  if (type === "resource_link" && typeof uri === "string") {
    return [{ type, uri, name: textOr(name, uri), description: textOr(description), mimeType: textOr(mimeType) }];
  }
  return type === "resource" ? resourceBlock(resource) : [];
}

/** @param resource one of the contents of a resource, as a block and `resources/read` have it */
export function resourceBlock(resource: unknown): Block[] {
  if (!isRecord(resource) || typeof resource.uri !== "string") return [];
  const { uri, mimeType, text, blob } = resource;
  return [{ type: "resource", resource: { uri, mimeType: textOr(mimeType), text: textOr(text), blob: textOr(blob) } }];
}
