/**
 * Renders the modules by which a fork gets only the parts of the Worker that it uses: `#parts` exports functions in the
 * plain form or with what the fork's features add to them, `#entrypoints` the classes that the settings name, and
 * `#credentials` what checks those that only some forks take.
 */
import { dirname, join } from "node:path";
import type { Discovery } from "../read/discovery.ts";
import { specifierOf } from "./bundle-toolkit.ts";
import { HEAD } from "./write.ts";

const SRC = join(import.meta.dirname, "../..");

const takesFiles = ({ tools }: Discovery) => tools.some(({ traits }) => Boolean(traits.attachments));

/** Which forks use a feature, in the order in which their parts are applied. */
const USES = {
  // wrangler refuses a workflow or an object whose class is missing.
  tasks: ({ parts, tools }) => parts.hasWorkflow || tools.some(({ traits }) => Boolean(traits.long)),
  attachments: (discovery) => discovery.parts.hasFiles || takesFiles(discovery),
  files: (discovery) => discovery.parts.hasFiles ?? takesFiles(discovery),
  skills: ({ skills }) => skills.length > 0,
  views: ({ views, tools }) => views.length > 0 || tools.some(({ visibility }) => visibility),
  appTools: ({ tools }) => tools.some(({ traits }) => traits.appOnly),
  sessions: ({ parts }) => parts.hasSessions,
  outbox: ({ parts, events }) => parts.hasOutbox || events.length > 0,
  page: ({ parts }) => parts.hasPage,
  signIn: ({ parts }) => parts.hasSignIn,
  tokens: ({ parts }) => parts.takesTokens,
  operators: ({ resources }) => resources.some(({ pattern }) => pattern),
} satisfies Readonly<Record<string, (discovery: Discovery) => unknown>>;

/** A part of the Worker that only forks that use it bundle. */
export type Feature = keyof typeof USES;

/** An export of a file in `src`. */
type Export = readonly [name: string, file: string];

/** A function of `#parts`, by the features that change it. */
interface Part {
  readonly plain: Export;
  /** Instead of the plain form. */
  readonly replaced?: Partial<Record<Feature, Export>>;
  /** Functions that take the plain or replaced form and return another one. Applied in the order of the features. */
  readonly wrapped?: Partial<Record<Feature, Export>>;
}

const PARTS: Readonly<Record<string, Part>> = {
  execute: {
    plain: ["execute", "core/call/execute.ts"],
    replaced: { tasks: ["executeWithTasks", "features/tasks/execute-with-tasks.ts"] },
    wrapped: { outbox: ["withCallbacks", "features/outbox/with-callbacks.ts"] },
  },
  callTool: {
    plain: ["callTool", "protocols/mcp/methods/tools.ts"],
    replaced: { tasks: ["callToolWithTasks", "features/tasks/mcp/long-tools.ts"] },
  },
  modernEra: {
    plain: ["modernEra", "protocols/mcp/modern/era.ts"],
    replaced: { tasks: ["modernEraWithTasks", "features/tasks/mcp/era.ts"] },
    wrapped: {
      views: ["modernEraWithViews", "features/views/eras.ts"],
      skills: ["modernEraWithSkills", "features/skills/eras.ts"],
      outbox: ["withEvents", "features/outbox/mcp/era.ts"],
    },
  },
  legacyDialect: {
    plain: ["legacyDialect", "protocols/mcp/legacy/dialect.ts"],
    wrapped: {
      views: ["legacyDialectWithViews", "features/views/eras.ts"],
      skills: ["legacyDialectWithSkills", "features/skills/eras.ts"],
    },
  },
  capabilitiesOf: {
    plain: ["capabilitiesOf", "protocols/mcp/wire/capabilities.ts"],
    wrapped: { views: ["withViewCapability", "features/views/capability.ts"] },
  },
  SESSION_CAPABILITIES: {
    plain: ["SESSION_CAPABILITIES", "protocols/mcp/wire/capabilities.ts"],
    replaced: { views: ["SESSION_CAPABILITIES_WITH_VIEWS", "features/views/capability.ts"] },
  },
  forModels: {
    plain: ["identity", "core/lib/identity.ts"],
    wrapped: { appTools: ["hideAppTools", "features/app-tools/app-tools.ts"] },
  },
  forHost: {
    plain: ["identity", "core/lib/identity.ts"],
    wrapped: { appTools: ["showAppTools", "features/app-tools/app-tools.ts"] },
  },
  readCall: {
    plain: ["readCall", "protocols/mcp/wire/read-call.ts"],
    wrapped: { attachments: ["withHostFiles", "features/files/read-host-files.ts"] },
  },
  run: {
    plain: ["run", "core/call/run-tool.ts"],
    wrapped: {
      attachments: ["withAttachments", "features/files/with-attachments.ts"],
      outbox: ["withEmit", "features/outbox/events/emit.ts"],
    },
  },
  equip: {
    plain: ["identity", "core/lib/identity.ts"],
    wrapped: {
      files: ["equipWithFiles", "features/files/equip.ts"],
      sessions: ["equipWithSessions", "session-objects.ts"],
      outbox: ["equipWithOutbox", "features/outbox/equip.ts"],
    },
  },
  fitUri: {
    plain: ["fitUri", "core/call/uri-template.ts"],
    wrapped: { operators: ["fitUriWithOperators", "features/uri-templates/match.ts"] },
  },
  rulesOf: {
    plain: ["rulesOf", "core/call/uri-template.ts"],
    wrapped: { operators: ["rulesWithOperators", "features/uri-templates/match.ts"] },
  },
  home: {
    plain: ["home", "home.ts"],
    replaced: { page: ["homeWithPage", "features/page/front-page.ts"] },
  },
};

/** Not among the others, which all tests in Node load: the sign-in is made of modules that only workerd has. */
const CREDENTIALS: Readonly<Record<string, Part>> = {
  createSignIn: {
    plain: ["createSignIn", "access/sign-in.ts"],
    replaced: { signIn: ["createSignIn", "features/sign-in/server.ts"] },
  },
  createTokenVerifier: {
    plain: ["createTokenVerifier", "access/tokens.ts"],
    replaced: { tokens: ["createTokenVerifier", "features/tokens/jwt.ts"] },
  },
};

/** A class that wrangler.toml names: its own name, the name that wrangler.toml has for it, and its file. */
type Entrypoint = readonly [name: string, className: string, file: string];

const CLAIMS: Entrypoint = ["Claims", "Claims", "claims.ts"];

/** The classes of each feature. One with the name of another replaces it. */
const ENTRYPOINTS: Readonly<Partial<Record<Feature, readonly Entrypoint[]>>> = {
  tasks: [
    ["ClaimsWithTasks", "Claims", "features/tasks/claims-with-tasks.ts"],
    ["LongRun", "LongRun", "features/tasks/workflow.ts"],
  ],
  files: [["FileRecords", "FileRecords", "features/files/store/records.ts"]],
  sessions: [["Sessions", "Sessions", "features/session-objects/sessions.ts"]],
  outbox: [["Outbox", "Outbox", "features/outbox/object/object.ts"]],
};

/** The features that a fork uses, in the order in which their parts are applied. */
export function featuresOf(discovery: Discovery): Feature[] {
  return (Object.keys(USES) as Feature[]).filter((feature) => USES[feature](discovery));
}

/**
 * @param out path of the catalogue; the modules are next to it
 * @returns the text of each module by path
 */
export function renderParts(discovery: Discovery, out: string): Map<string, string> {
  const features = featuresOf(discovery);
  const folder = dirname(out);
  const from = (file: string) => JSON.stringify(specifierOf(join(folder, "parts.ts"), join(SRC, file)));
  const classes = new Map(
    [CLAIMS, ...features.flatMap((feature) => ENTRYPOINTS[feature] ?? [])].map((it) => [it[1], it]),
  );
  const entrypoints = [...classes.values()].map(
    ([name, as, file]) => `export { ${named(name, as)} } from ${from(file)};`,
  );
  const rendered = (parts: Readonly<Record<string, Part>>) =>
    Object.entries(parts).map(([name, part]) => renderPart(name, part, features, from));
  const render = (lines: readonly string[]) => `${HEAD}${lines.join("\n")}\n`;
  return new Map([
    [join(folder, "parts.ts"), render(rendered(PARTS))],
    [join(folder, "entrypoints.ts"), render(entrypoints)],
    [join(folder, "credentials.ts"), render(rendered(CREDENTIALS))],
  ]);
}

function renderPart(
  name: string,
  { plain, replaced, wrapped }: Part,
  features: readonly Feature[],
  from: (file: string) => string,
): string {
  const [form, file] = features.map((feature) => replaced?.[feature]).findLast((found) => found) ?? plain;
  const wrappers = features.flatMap((feature) => (wrapped?.[feature] ? [wrapped[feature]] : []));
  if (wrappers.length === 0) return `export { ${named(form, name)} } from ${from(file)};`;
  const inner = `inner_${name}`;
  return [
    `import { ${form} as ${inner} } from ${from(file)};`,
    ...wrappers.map(([wrapper, path]) => `import { ${wrapper} } from ${from(path)};`),
    `export const ${name} = ${wrappers.reduce((made, [wrapper]) => `${wrapper}(${made})`, inner)};`,
  ].join("\n");
}

function named(name: string, as: string): string {
  return name === as ? name : `${name} as ${as}`;
}
