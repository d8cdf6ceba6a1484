/**
 * Checks the URI of a resource, and parses a template with operators (RFC 6570), so that the Worker does not have to.
 * It refuses operators that MCP's clients do not expand, and templates whose variables cannot be told apart in an
 * expanded URI.
 */
import type { UriPattern } from "../../core/model/primitives.ts";

export interface ResourceUri {
  /** The names of its variables. */
  readonly names: readonly string[];
  /** Absent if no variable has an operator. */
  readonly pattern?: UriPattern;
}

export interface Wrong {
  readonly problem: string;
  readonly fix: string;
}

/** One pair of braces. */
interface Expression {
  /** `{?q,tag*}` */
  readonly text: string;
  /** "" if it has none. */
  readonly operator: string;
  /** Names. Those of lists end with a `*`. */
  readonly variables: readonly string[];
}

const EXPRESSION = /(\{[^{}]*\})/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;
/** The operators of RFC 6570. The last five are reserved for extensions. */
const OPERATOR = /^[+#./;?&=,!@|]/;
const EXPANDED = ["", "+", "#", ".", "/", "?", "&"];

/** @returns its variables, or the first thing that is wrong */
export function readResourceUri(uri: unknown): ResourceUri | Wrong {
  const parts = typeof uri === "string" ? uri.split(EXPRESSION) : [];
  const absolute = parts.map((part) => (EXPRESSION.test(part) ? "x" : part)).join("");
  if (!/^[a-z][a-z0-9+.-]*:\S+$/i.test(absolute) || /[{}]/.test(absolute)) {
    return wrong(
      "its uri is not an absolute URI, with or without {variables}",
      'write uri: "notes://all" or uri: "notes://note/{id}"',
    );
  }
  const tokens = parts.filter((part) => part !== "").map((part) => (EXPRESSION.test(part) ? expressionOf(part) : part));
  const expressions = tokens.filter(isExpression);
  for (const expression of expressions) {
    const found = wrongIn(expression);
    if (found) return found;
  }
  const names = expressions.flatMap(({ variables }) => variables.map(nameOf));
  const hasOperators = expressions.some(({ operator, variables }) => operator !== "" || variables.some(isList));
  const pattern = hasOperators ? patternOf(tokens) : { path: String(uri) };
  if ("problem" in pattern) return pattern;
  if (pattern.path.split(/[/?#]/).some((segment) => segment.split("{").length > 2)) {
    return wrong(
      "its uri has two {variables} in one segment, so where the first one ends is ambiguous",
      'put a "/" between them, such as uri: "notes://{year}/{month}"',
    );
  }
  if (!hasOperators) return { names };
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) return wrong(`its uri has the variable ${twice} twice`, "rename one of the two");
  return { names, pattern };
}

function expressionOf(text: string): Expression {
  const inner = text.slice(1, -1);
  const [operator = ""] = OPERATOR.exec(inner) ?? [];
  return { text, operator, variables: inner.slice(operator.length).split(",") };
}

/** Finds what is wrong with an expression, whatever is around it. */
function wrongIn({ text, operator, variables }: Expression): Wrong | undefined {
  const names = variables.map((variable) => nameOf(variable).replace(/:\d+$/, ""));
  if (!EXPANDED.includes(operator)) {
    return wrong(`its uri has ${text}, which clients do not expand`, `write {?${names.join(",")}}, a query`);
  }
  const cut = variables.findIndex((variable) => /:\d+$/.test(variable));
  if (cut >= 0) {
    return wrong(`its uri has ${text}, which clients do not expand`, `write ${names[cut]} without a length`);
  }
  if (!variables.every((variable) => VARIABLE.test(variable))) {
    const fix = "write letters, digits and _ (no digit first), such as {day}, {+path} or {?q,limit}";
    return wrong(`its uri has ${text}, which does not name a variable`, fix);
  }
  if (operator === "?" || operator === "&") return undefined;
  if (variables.length > 1) {
    const apart = names.map((name) => `{${name}}`).join("/");
    return wrong(`its uri has ${text}, which clients expand in different ways`, `write ${apart}, or a list: {name*}`);
  }
  if (variables.some(isList) && operator !== "" && operator !== "/") {
    const fix = "write a list as {name*}, {/name*} or {?name*}";
    return wrong(`its uri has ${text}, a list whose entries cannot be told apart`, fix);
  }
  return undefined;
}

/** Divides a template into path, query and fragment. */
function patternOf(tokens: readonly (string | Expression)[]): UriPattern | Wrong {
  const rest = [...tokens];
  const take = (operators: string): Expression[] => {
    const from = rest.findLastIndex((token) => !isExpression(token) || !operators.includes(token.operator || " ")) + 1;
    return rest.splice(from) as Expression[];
  };
  const [fragment, ...further] = take("#");
  const inQuery = take("?&");
  const early = further[0] ?? rest.find((token) => isExpression(token) && "?&#".includes(token.operator || " "));
  if (isExpression(early)) {
    const fix = "put the variables of the query and of the fragment at the end: notes://all{?q}{#part}";
    return wrong(`its uri goes on after ${early.text}`, fix);
  }
  const texts = rest.filter((token) => typeof token === "string").join("");
  if (fragment && texts.includes("#"))
    return wrong(`its uri has a "#" before ${fragment.text}`, "remove one of the two");

  const whole = pathOf(rest);
  if ("problem" in whole) return whole;
  const query = inQuery.length > 0 ? queryOf(inQuery, whole.path) : undefined;
  if (query && "problem" in query) return query;
  return {
    ...whole,
    ...(query && { path: whole.path.split("?", 1)[0] as string, query }),
    ...(fragment && { fragment: fragment.variables[0] as string }),
  };
}

function pathOf(tokens: readonly (string | Expression)[]): Pick<UriPattern, "path" | "operator"> | Wrong {
  const path = tokens.map((token) => (isExpression(token) ? plainly(token) : token)).join("");
  const [special, second] = tokens.filter(isExpression).filter((it) => it.operator !== "" || it.variables.some(isList));
  if (special === undefined) return { path };
  const { text, operator, variables } = special;
  const [variable = ""] = variables;
  if (second) {
    const fix = `keep one of them, or move one into the query: {?${nameOf(variable)}}`;
    return wrong(`its uri has ${text} and ${second.text}, so where the first one ends is ambiguous`, fix);
  }
  if ((operator === "/" || operator === ".") && tokens.at(-1) !== special) {
    return wrong(`its uri goes on after ${text}, which may be left out`, "put it at the end of the path");
  }
  const segments = path.split(/([/?#])/);
  const at = segments.findIndex((segment) => segment.includes(`{${nameOf(variable)}}`));
  const kind = `${operator}${isList(variable) ? "*" : ""}` as NonNullable<UriPattern["operator"]>[0];
  if (kind === "*" && segments[at] !== plainly(special)) {
    return wrong(
      `its uri has text beside the list ${text}`,
      'put a "/" between them, such as uri: "tags://all/{tag*}"',
    );
  }
  return { path, operator: [kind, at] };
}

/** @param path of the template, including the part of the query that it spells out */
function queryOf(expressions: readonly Expression[], path: string): NonNullable<UriPattern["query"]> | Wrong {
  const names = expressions.flatMap(({ variables }) => variables);
  const together = `{?${names.join(",")}}`;
  const [, spelled] = path.split(/\?(.*)/s);
  const [first, ...more] = expressions.map(({ operator }) => operator);
  if (more.includes("?") || (first === "?" && more.length > 0)) {
    return wrong("its uri has the variables of its query in several {?…} or {&…}", `write ${together}`);
  }
  if (first === "?" && spelled !== undefined) {
    return wrong(`its uri has a "?" before ${together}`, `write ${together.replace("?", "&")}`);
  }
  if (first === "&" && spelled === undefined) {
    return wrong(`its uri has no "?" before ${together.replace("?", "&")}`, `write ${together}`);
  }
  if (spelled?.includes("{")) {
    return wrong("its query has {variables} both after a = and in {&…}", "write all of them in one {?…}");
  }
  return { fixed: spelled === undefined ? [] : spelled.split("&"), names };
}

/** How an expression is written in a path: `{path}` for `{+path}`. */
function plainly({ operator, variables: [variable = ""] }: Expression): string {
  return `${operator === "/" ? "/" : ""}{${nameOf(variable)}}`;
}

function isExpression(token: string | Expression | undefined): token is Expression {
  return typeof token === "object";
}

function isList(variable: string): boolean {
  return variable.endsWith("*");
}

function nameOf(variable: string): string {
  return variable.replace(/\*$/, "");
}

function wrong(problem: string, fix: string): Wrong {
  return { problem, fix };
}
