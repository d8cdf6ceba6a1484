/** Links to the documentation that users of a deployment need, if package.json says where the repository is. */
import { h } from "../lib/dom.ts";

/** The URL of docs/ in the repository, with a slash at its end; "" if it is not known. Discovery fills it in. */
declare const DOCS: string;

const PAGES: readonly (readonly [file: string, title: string, what: string])[] = [
  ["protocols.md", "Protocols", "what the server answers over MCP, OXP and OpenTool"],
  ["clients.md", "Clients", "calling the tools from programs, and from agents: OpenAI, Anthropic, Gemini, the AI SDK"],
  ["access.md", "Access", "keys, tokens, the sign-in, and scopes"],
  ["once.md", "Once", "repeating a call without repeating its effects"],
  ["tasks.md", "Long tools", "how to follow a call that takes minutes or hours"],
  ["files.md", "Files", "uploading what tools take"],
  ["webhooks.md", "Webhooks", "hearing of results and events"],
];

/** @returns false if it is not known where the documentation is */
export function docsLinks(): HTMLElement | false {
  if (DOCS === "") return false;
  return h(
    "section",
    { "aria-label": "Documentation" },
    h("h3", {}, "Documentation"),
    h(
      "ul",
      {},
      PAGES.map(([file, title, what]) =>
        h("li", {}, h("a", { href: DOCS + file, rel: "noopener" }, title), `: ${what}`),
      ),
    ),
  );
}
