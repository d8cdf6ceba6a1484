/** Templates of addresses, as resources have them: `notes://{id}`, `search://notes{?q,tag*}` (RFC 6570). */

/** What discovery allows (docs/resources.md, Resources): an operator, and names, those of lists with a `*`. */
const EXPRESSION = /\{([+#./?&]?)([^{}]+)\}/g;

/** Half of a pair of surrogates, which cannot be encoded. */
const LONE = /\p{Surrogate}/gu;

export interface Variable {
  readonly name: string;
  readonly isList: boolean;
  /** Whether the address cannot be made without it. */
  readonly required: boolean;
}

export function variablesIn(template: string): Variable[] {
  return Array.from(template.matchAll(EXPRESSION), ([, operator = "", inner = ""]) =>
    inner.split(",").map((variable) => ({
      name: variable.replace("*", ""),
      isList: variable.endsWith("*"),
      required: operator === "" || operator === "+",
    })),
  ).flat();
}

/** @param values texts, or lists of them, by the names of their variables; those that are missing are left out */
export function expand(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(EXPRESSION, (_, operator: string, inner: string) => {
    const encode = operator === "+" || operator === "#" ? encodeURI : encodeURIComponent;
    const isQuery = operator === "?" || operator === "&";
    const separator = isQuery ? "&" : operator === "/" ? "/" : ",";
    const parts = inner.split(",").flatMap((variable) => {
      const name = variable.replace("*", "");
      const value = values[name];
      const entries =
        value === undefined ? [] : [value].flat().map((entry) => encode(String(entry).replace(LONE, "\ufffd")));
      return isQuery ? entries.map((entry) => `${name}=${entry}`) : entries;
    });
    return parts.length === 0 ? "" : operator.replace("+", "") + parts.join(separator);
  });
}
