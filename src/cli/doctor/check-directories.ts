/** `npm run doctor -- --submit`: what directories of connectors and apps demand of a server before they list it. */
import type { Discovered, Discovery } from "../../discovery/read/discovery.ts";
import type { Config } from "../lib/config.ts";
import { type Finding, placeIn, warning } from "./finding.ts";

/** Claude's connectors directory, review criteria, and ChatGPT's app submission guidelines. */
const CLAUDE = "https://claude.com/docs/connectors/building/review-criteria";
const CHATGPT = "https://developers.openai.com/apps-sdk/app-submission-guidelines";
const MAX_NAME = 64;
/** Hints that ChatGPT's review wants to read in the listing, whether true or false. */
const HINTS = ["readOnly", "destructive", "openWorld"] as const;
/** A tool that takes a method of both lists reads and writes (Claude, "Separate read and write tools"). */
const METHODS = { safe: ["GET", "HEAD", "OPTIONS"], unsafe: ["POST", "PUT", "PATCH", "DELETE"] };

/** What only a person can check, because no file says it. */
export const UNCHECKED =
  "what directories want besides (--submit): a privacy policy, documentation with examples, a contact for support, " +
  `an account for reviewers, and descriptions that match what tools do (${CLAUDE}, ${CHATGPT}).`;

/** @param placeOf where a setting is: `wrangler.toml:12` */
export function* checkDirectories(
  { tools, settings }: Discovery,
  { vars }: Pick<Config, "vars">,
  root: string,
  placeOf: (name: string) => string,
): Generator<Finding> {
  const isPublic = String(vars.PUBLIC) === "true";
  if (!isPublic && !settings.hasSignIn && !settings.takesTokens) {
    const problem = "callers need a key, and Claude's directory lists only servers with OAuth or without credentials";
    const fix = `write SIGN_IN = "true" or TOKENS = "true" (docs/access.md), or PUBLIC = "true" (${CLAUDE})`;
    yield warning({ file: placeOf("PUBLIC"), problem, fix });
  }
  // Models see the newest version only.
  for (const tool of tools.filter(({ id }, at) => tools[at + 1]?.id !== id)) {
    const file = placeIn(root, tool.path, tool.description);
    for (const [problem, fix] of lacking(tool)) yield warning({ file, problem, fix });
  }
}

function* lacking({ name, options: { title, annotations = {} }, input }: Discovered): Generator<[string, string]> {
  if (!title) yield ["it has no title", `write title: "What people call it" (${CLAUDE})`];
  const unsaid = HINTS.filter((hint) => annotations[hint] === undefined);
  if (unsaid.length > 0) {
    const problem = `it does not say whether it is ${unsaid.join(", ")}`;
    yield [
      problem,
      `write ${unsaid.map((hint) => `${hint}: true`).join(", ")}, or false, in its annotations (${CHATGPT})`,
    ];
  }
  if (name.length > MAX_NAME) yield [`its name ${name} has over ${MAX_NAME} characters`, `shorten it (${CLAUDE})`];
  const choices = Object.values(input.properties).flatMap((property) => (property.enum as unknown[] | undefined) ?? []);
  const takes = (methods: readonly string[]) =>
    choices.some((choice) => methods.includes(String(choice).toUpperCase()));
  if (takes(METHODS.safe) && takes(METHODS.unsafe)) {
    yield [
      "it reads or writes, depending on a parameter",
      `make it a tool that reads, and one that writes (${CLAUDE})`,
    ];
  }
}
