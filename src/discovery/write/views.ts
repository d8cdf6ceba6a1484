/**
 * Writes the views: the module `#views`, which a Worker with views imports, a module for each view, which is loaded when
 * the view is read, and the types of the tools that views can call.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { typeOf } from "../../cli/client/schema-type.ts";
import { VIEW_TYPE } from "../../core/model/primitives.ts";
import type { Discovered, Discovery } from "../read/discovery.ts";
import { specifierOf } from "./bundle-toolkit.ts";
import { describeLink, describeView } from "./describe-view.ts";
import { HEAD } from "./head.ts";
import { writeIfChanged } from "./write.ts";

const SRC = join(import.meta.dirname, "../..");

/** Writes them next to the catalogue, and removes the modules of views that are gone. @param out path of the catalogue */
export function writeViews(discovery: Discovery, out: string): void {
  const folder = join(dirname(out), "views");
  const files = render(discovery, out);
  for (const [path, text] of files) writeIfChanged(path, text);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!files.has(join(folder, name))) rmSync(join(folder, name));
  }
}

function render({ tools, views }: Discovery, out: string): Map<string, string> {
  const file = join(dirname(out), "views.ts");
  const files = new Map<string, string>();
  const newest = new Map(tools.map((tool) => [tool.id, tool]));
  const entries = views.map(({ tool: id, uri, name, toolkit, html }) => {
    const { name: toolName, view, options } = newest.get(id) as Discovered;
    const path = join(dirname(out), "views", `${name.replace("/", ".")}.ts`);
    const description = `Shows what ${toolName} returns.`;
    const meta = describeView(view);
    const about = {
      name: toolName,
      ...(options.title !== undefined && { title: options.title }),
      description,
      mimeType: VIEW_TYPE,
      ...(meta && { meta }),
    };
    const text = JSON.stringify(html);
    const read = `() => ({ text: ${text}${meta ? `, meta: ${JSON.stringify(meta)}` : ""} })`;
    files.set(
      path,
      `${HEAD}export default { uri: ${JSON.stringify(uri)}, description: ${JSON.stringify(description)}, read: ${read} };\n`,
    );
    const entry = { tool: id, uri, toolkit, about, options: { ...(options.scopes && { scopes: options.scopes }) } };
    const members = Object.entries(entry).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    return `    { ${members.join(", ")}, load: () => import(${JSON.stringify(specifierOf(file, path))}) },\n`;
  });
  const types = JSON.stringify(specifierOf(file, join(SRC, "core/model/primitives.ts")));
  files.set(
    file,
    `${HEAD}import type { Views } from ${types};

export const views: Views = {
  entries: [
${entries.join("")}  ],
  listed: ${JSON.stringify(listed({ tools, views }))},
};
`,
  );
  const typed = join(dirname(out), "view-tools.d.ts");
  files.set(typed, renderTypes(views.length > 0 ? [...newest.values()] : [], typed));
  return files;
}

/** What MCP lists of tools in addition, for clients that show views: by id. */
export function listed({ tools, views }: Pick<Discovery, "tools" | "views">): Record<string, object> {
  const uris = new Map(views.map(({ tool, uri }) => [tool, uri]));
  const newest = new Map(tools.map((tool) => [tool.id, tool]));
  return Object.fromEntries(
    Array.from(newest, ([id, { visibility }]) => [id, describeLink(uris.get(id), visibility)] as const).flatMap(
      ([id, link]) => (link ? [[id, link]] : []),
    ),
  );
}

function renderTypes(tools: readonly Discovered[], path: string): string {
  const members = tools.map(({ name, input, output }) => {
    const sent = typeOf(input, { isInput: true, pad: "      " });
    const given = sent === "unknown" ? "Record<string, unknown>" : sent;
    const returned = output === null ? "undefined" : typeOf(output, { pad: "      " });
    return `    ${JSON.stringify(name)}: {\n      input: ${given};\n      output: ${returned};\n    };\n`;
  });
  const module = JSON.stringify(specifierOf(path, join(SRC, "features/views/browser/tools.ts")));
  return `${HEAD}export {};

declare module ${module} {
  interface ViewTools {
${members.join("")}  }
}
`;
}
