/** Reads the content of an MCP result: the value, the files, and notes for the person. */
import { isDeepStrictEqual } from "node:util";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import type { Done, ResultFile } from "./connection.ts";

type Block = CallToolResult["content"][number];
type Link = Extract<Block, { type: "resource_link" }>;
type Contents = Extract<Block, { type: "resource" }>["resource"];

/** Reads a result, except its links: their resources have to be requested. */
export function readResult(result: CallToolResult): Pick<Done, "value" | "files" | "notes"> {
  const { structuredContent: value } = result;
  const texts = blocksOf("text", result).map(({ text }) => text);
  const files = (result.content ?? []).flatMap((block) => fileOf(block) ?? []);
  if (value === undefined) return { value: texts.length > 0 ? texts.join("\n") : undefined, files, notes: [] };
  // A text that repeats the value is for clients that do not know structured content.
  return { value, files, notes: texts.filter((text) => !repeats(text, value)) };
}

export function blocksOf<Type extends Block["type"]>(type: Type, { content = [] }: CallToolResult) {
  return content.filter((block): block is Extract<Block, { type: Type }> => block.type === type);
}

function repeats(text: string, value: unknown): boolean {
  if (text === value) return true;
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}

function fileOf(block: Block): ResultFile | undefined {
  if (block.type === "image" || block.type === "audio") {
    return { name: undefined, type: block.mimeType, bytes: Buffer.from(block.data, "base64") };
  }
  return block.type === "resource" ? fileOfContents(block.resource) : undefined;
}

function fileOfContents(contents: Contents): ResultFile {
  const { uri, mimeType } = contents;
  const bytes = "blob" in contents ? Buffer.from(contents.blob, "base64") : Buffer.from(contents.text);
  return { name: lastPart(uri), type: mimeType ?? ("text" in contents ? "text/plain" : undefined), bytes };
}

/** The part of an address after its last slash; undefined if it is empty. */
function lastPart(uri: string): string | undefined {
  const [path = ""] = uri.replace(/^[a-z][a-z0-9+.-]*:/i, "").split(/[?#]/);
  return path.split("/").pop() || undefined;
}

/** Whether {@link readResource} sends no request for it. */
export function isOnlyShown(uri: string): boolean {
  return /^(https?|file):/i.test(uri);
}

/**
 * Reads a linked resource from the server that linked it. An address of the web, or of a file, is only shown: the server
 * chose it, and this machine may reach what the server may not.
 */
export async function readResource(client: Client, { uri, name }: Link, signal: AbortSignal) {
  const shown: Pick<Done, "files" | "notes"> = { files: [], notes: [`${name}: ${uri}`] };
  if (isOnlyShown(uri)) return shown;
  try {
    const { contents } = await client.readResource({ uri }, { signal });
    return { files: contents.map((one) => fileOfContents(one as Contents)), notes: [] };
  } catch {
    signal.throwIfAborted();
    return shown;
  }
}
