/**
 * A typed client (docs/clients.md): gives the tools of a server as functions, `client.calculator.add({ a: 1, b: 2 })`.
 * Their names and types are in a file that `npm run client` writes. Any `ToolCaller` makes the calls, such as `OxpClient`.
 */
import type { CallOptions, ToolCaller } from "./oxp/types.ts";

export type { CallContext, CallOptions, ToolCaller } from "./oxp/types.ts";

/**
 * The ids of tools by the names under which a typed client has them: `{ calculator: { add: "Calculator.Add" } }`.
 * It carries the types of their functions, so that `typedClient(caller, tools)` needs no type argument.
 */
export interface ToolTable<Tools> {
  readonly ids: { readonly [Toolkit in keyof Tools]: { readonly [Tool in keyof Tools[Toolkit]]: string } };
  /** Only for the type checker. */
  readonly types?: Tools;
}

/**
 * @param caller makes the calls. The functions throw what it throws
 * @param tools  the table in the file that `npm run client` wrote
 * @returns a function for each tool of the table, in an object for each toolkit. It sends its input as it is, and
 *          returns what the tool returned: the types are those of the listing, and nothing checks them at run time
 *
 * @example
 * const client = typedClient(new OxpClient({ url, apiKey }), tools);
 * const sum = await client.calculator.add({ a: 1, b: 2 });
 */
export function typedClient<Tools>(caller: ToolCaller, tools: ToolTable<Tools>): Tools {
  const toolkits = Object.entries<Readonly<Record<string, string>>>(tools.ids);
  const client = toolkits.map(([toolkit, ids]) => {
    const functions = Object.entries(ids).map(([name, id]) => {
      const call = async (input: Readonly<Record<string, unknown>> = {}, options?: CallOptions) =>
        (await caller.call(id, input, options)).value;
      return [name, call];
    });
    return [toolkit, Object.freeze(Object.fromEntries(functions))];
  });
  return Object.freeze(Object.fromEntries(client)) as Tools;
}
