/** How a call ended: what the tool returned, or what went wrong and what to do. */
import { codeBlock } from "../lib/code.ts";
import { type Child, h } from "../lib/dom.ts";
import type { Access } from "../server/access.ts";
import type { Block, Failure, Outcome } from "../server/outcome.ts";
import { signInOffer } from "./key.ts";
import { duration } from "./view.ts";

const TITLES: Readonly<Record<Failure["kind"], string>> = {
  input: "The input is not right",
  needs: "Something is missing",
  refused: "Not allowed",
  failed: "The tool failed",
  busy: "Too many requests",
  timeout: "It took too long",
  cancelled: "Cancelled",
  offline: "No response",
  broken: "An answer that could not be read",
};

export function outcomeView(outcome: Outcome, access: Access): HTMLElement {
  if (!outcome.ok) return failureView(outcome, access);
  const { value, content, ms, replayed } = outcome;
  // Texts among them repeat the value, for models.
  const shown = content.filter((block) => block.type !== "text" || value === undefined);
  return h(
    "section",
    { class: "box good", "aria-label": "Result" },
    h(
      "h3",
      {},
      "Result ",
      h("span", { class: "quiet-text" }, `in ${duration(ms)}${replayed ? ", of an earlier call" : ""}`),
    ),
    h("div", { class: "value" }, shown.map(blockView), value !== undefined && valueView(value)),
    value === undefined && shown.length === 0 && h("p", { class: "quiet-text" }, "The tool returned nothing."),
  );
}

function valueView(value: unknown): HTMLElement {
  if (value === null) return h("p", { class: "quiet-text" }, "The tool returned nothing.");
  if (typeof value === "string") return codeBlock("the result", value);
  return codeBlock("the result", JSON.stringify(value, undefined, 2), "json");
}

/** One part of a result or a prompt, as MCP's content blocks. */
export function blockView(block: Block): Child {
  switch (block.type) {
    case "text":
      return codeBlock("the text", block.text);
    case "image":
      return h(
        "figure",
        {},
        h("img", { src: dataUrl(block), alt: "Picture that the tool returned" }),
        h("figcaption", { class: "quiet-text" }, `Picture (${block.mimeType})`),
      );
    case "audio":
      return h("audio", { src: dataUrl(block), controls: true, "aria-label": "Sound that the tool returned" });
    case "resource_link":
      return h("p", {}, "Resource: ", h("code", {}, block.uri));
    case "resource":
      if (block.resource.text !== undefined) return codeBlock(block.resource.uri, block.resource.text);
      if (block.resource.mimeType?.startsWith("image/") && block.resource.blob) {
        return h("img", {
          src: `data:${block.resource.mimeType};base64,${block.resource.blob}`,
          alt: block.resource.uri,
        });
      }
      return h("p", {}, "File: ", downloadLink(block.resource.uri, block.resource.mimeType, block.resource.blob ?? ""));
    default:
      return codeBlock("the content", JSON.stringify(block, undefined, 2), "json");
  }
}

function dataUrl({ mimeType, data }: { readonly mimeType: string; readonly data: string }): string {
  return `data:${mimeType};base64,${data}`;
}

function downloadLink(uri: string, mimeType = "application/octet-stream", base64: string): HTMLElement {
  const name = uri.split("/").at(-1) || "file";
  return h("a", { href: dataUrl({ mimeType, data: base64 }), download: name }, name);
}

function failureView(outcome: Failure, access: Access): HTMLElement {
  const { kind, message, hint, developerMessage, parameterErrors, missing, scopes, retryAfterMs } = outcome;
  const lacking = [...missing.secrets, ...missing.authorizations, ...(missing.userId ? ["the user id"] : [])];
  const facts: [string, Child][] = [];
  if (hint) facts.push(["Hint", hint]);
  for (const [path, text] of parameterErrors) facts.push([path, text]);
  if (lacking.length > 0) facts.push(["Missing", lacking.join(", ")]);
  if (scopes.length > 0) facts.push(["Scopes needed", scopes.join(", ")]);
  if (developerMessage) facts.push(["For developers", developerMessage]);
  if (retryAfterMs !== undefined) facts.push(["Try again", `in ${duration(retryAfterMs)}`]);
  return h(
    "section",
    { class: "box bad", "aria-label": "Error" },
    h("h3", {}, TITLES[kind]),
    h("p", { class: "prose" }, message),
    facts.length > 0 &&
      h(
        "dl",
        { class: "facts" },
        facts.map(([name, text]) => [h("dt", {}, name), h("dd", { class: "prose" }, text)]),
      ),
    (outcome.needsCredential || scopes.length > 0) && signInOffer(access, scopes),
  );
}
