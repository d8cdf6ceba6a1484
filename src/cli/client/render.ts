/** Writes the file of a typed client: an interface with a function for each tool, and the table of their ids. */
import type { ToolDefinition } from "../../client/oxp/types.ts";
import type { Member, Named } from "./names.ts";
import { needsNothing, typeOf } from "./schema-type.ts";
import { docComment, memberKey, oneLine, quoted } from "./text.ts";

/** The first words of a file that was made here, and so may be replaced. */
export const HEAD = "// Made by `npm run client";

export interface Origin {
  /** What follows `npm run client` in the command that makes the file again. */
  readonly options: string;
  /** The module to import from: `trivet/typed`. */
  readonly module: string;
}

/** @returns the same text for the same tools, in whatever order they are listed */
export function render({ toolkits }: Named, { options, module }: Origin): string {
  const functions = each(toolkits, "  ", ";", (member) => functionOf(member, "    "));
  const ids = each(toolkits, "    ", ",", ({ name, id }) => `      ${memberKey(name)}: ${quoted(id)},\n`);
  return `${HEAD}${oneLine(options)}\` in Trivet: make it again, do not edit it.
import type { CallOptions, ToolTable } from ${quoted(module)};

export interface Tools {
${functions}}

export const tools: ToolTable<Tools> = {
  ids: {
${ids}  },
};
`;
}

function each(toolkits: Named["toolkits"], pad: string, end: string, line: (member: Member) => string): string {
  return Array.from(
    toolkits,
    ([toolkit, members]) => `${pad}${memberKey(toolkit)}: {\n${members.map(line).join("")}${pad}}${end}\n`,
  ).join("");
}

function functionOf({ name, tool }: Member, pad: string): string {
  const { parameters } = tool.input_schema;
  const input = typeOf(parameters, { isInput: true, pad });
  const optional = needsNothing(parameters) ? "?" : "";
  const output = tool.output_schema === null ? "void" : typeOf(tool.output_schema, { pad });
  const about = docComment([tool.description, `\`${tool.id}\``, needs(tool)], pad);
  return `${about}${pad}${memberKey(name)}(input${optional}: ${
    input === "unknown" ? "Record<string, unknown>" : input
  }, options?: CallOptions): Promise<${output}>;\n`;
}

/** A sentence about what a caller has to send in `context`; empty if that is nothing. */
function needs({ requirements }: ToolDefinition): string {
  const { secrets = [], authorization = [], user_id = false } = requirements ?? {};
  const all = [
    ...secrets.map(({ id }) => `the secret \`${id}\``),
    ...authorization.map(({ id, oauth2 }) => {
      const scopes = (oauth2?.scopes ?? []).join(" ");
      return `a token of \`${id}\`${scopes && ` (scopes: ${scopes})`}`;
    }),
    ...(user_id ? ["the id of the user"] : []),
  ];
  return all.length > 0 ? `Needs in \`context\`: ${all.join(", ")}.` : "";
}
