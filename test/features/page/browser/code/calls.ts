/** Calls for tests of the samples: of tools that a server lists, with inputs that are hard to quote. */
import type { ToolDefinition } from "../../../../../src/client/oxp/types.ts";
import type { Call } from "../../../../../src/features/page/browser/code/sample.ts";

/** What shells, JSON, TypeScript or Python read as something else, if it is quoted wrongly. */
export const NASTY: readonly unknown[] = [
  "it's",
  "'; touch /tmp/never #",
  '"double" \\"escaped\\"',
  `\`id\` $(id) $HOME \${HOME} $TRIVET_KEY !! !1`,
  "back\\slash \\n \\u0041 \\'",
  "line\nbreak\r\n\ttab",
  "ünï 🍞 \u2028\u2029 \u0000\u0007\u001b[31m \uE000X\uE000",
  "@/etc/passwd",
  "--data",
  "%s %0a *.* ~ {a,b} [x] ; & | < > # \\",
  " { a: 1, [ 2 ] } ",
  "<<'END'\nEND\n",
  "</script><!--",
  "",
  [0, -0.5, 1e21, 1e-7, 9007199254740991],
  [true, false, null, [], {}, [[[]]]],
  JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "a b": 3, "": 4, "it\'s": 5, "class": 6, "\\"": 7, "$x": 8}'),
];

/** @returns the call of a tool of a listing, in its newest version or another */
export function callOf(definitions: readonly ToolDefinition[], id: string, more: Partial<Call> = {}): Call {
  const [plain = "", wanted] = id.split("@");
  const all = definitions.filter((definition) => definition.id.startsWith(`${plain}@`));
  const versions = all
    .toSorted((a, b) => b.version.localeCompare(a.version, "en", { numeric: true }))
    .map(({ version, description, input_schema, output_schema, requirements }) => ({
      version,
      description,
      input: input_schema.parameters,
      output: output_schema ?? undefined,
      requirements: requirements ?? {},
    }));
  const [newest] = versions;
  const version = versions.find((one) => one.version === wanted) ?? newest;
  if (newest === undefined || version === undefined) throw new Error(`${id} is not listed`);
  const [toolkit = ""] = plain.split(".");
  return {
    tool: {
      id: plain,
      toolkit,
      name: all[0]?.name ?? "",
      versions,
      annotations: {},
      scopes: [],
      isLong: false,
      takesFiles: false,
      keepsSession: false,
      isForViews: false,
      tokens: 0,
    },
    version,
    isNewest: version === newest,
    input: {},
    base: "http://127.0.0.1:8787",
    hasKey: false,
    isOpen: true,
    needs: {},
    ...more,
  };
}

/** A listing for tests that need no server. */
export function definition(id: string, parameters: object = { type: "object", properties: {} }): ToolDefinition {
  const [plain = "", version = ""] = id.split("@");
  return {
    id,
    name: plain.replace(".", "_"),
    description: `Is ${plain}.`,
    version,
    input_schema: { parameters: { ...parameters } },
    output_schema: {},
  };
}
