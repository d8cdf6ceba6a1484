/** Shows MCP's content blocks: what tools return for people, the messages of prompts, and the contents of resources. */

import type { Block } from "../api/blocks.ts";
import { codeBlock } from "../lib/code.ts";
import { type Child, h } from "../lib/dom.ts";

export function blockView(block: Block): Child {
  switch (block.type) {
    case "text":
      return textView("the text", block.text);
    case "image":
      return h(
        "figure",
        h("img", { src: dataUrl(block), alt: "Picture" }),
        h("figcaption.quiet-text", `Picture (${block.mimeType})`),
      );
    case "audio":
      return h("audio", { src: dataUrl(block), controls: true, "aria-label": "Sound" });
    case "resource_link":
      return h("p", block.name, ": ", h("code", block.uri));
    case "resource":
      if (block.resource.text !== undefined) return textView(block.resource.uri, block.resource.text);
      return fileView(
        block.resource.uri,
        block.resource.mimeType ?? "application/octet-stream",
        block.resource.blob ?? "",
      );
  }
}

function textView(name: string, text: string): HTMLElement {
  return text === "" ? h("p.quiet-text", "Empty.") : codeBlock(name, text);
}

function dataUrl({ mimeType, data }: { readonly mimeType: string; readonly data: string }): string {
  return `data:${mimeType};base64,${data}`;
}

function fileView(uri: string, mimeType: string, data: string): HTMLElement {
  const url = dataUrl({ mimeType, data });
  if (mimeType.startsWith("image/") && data) return h("img", { src: url, alt: uri });
  const name = uri.split("/").at(-1) || "file";
  return h("p", "File: ", h("a", { href: url, download: name }, name));
}
