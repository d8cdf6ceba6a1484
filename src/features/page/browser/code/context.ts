/** What a call sends besides its input: the key, and what the tool requires. Samples read all of it from variables. */
import type { CallContext } from "../../../../client/oxp/types.ts";
import { KEY, USER_ID, variableOf } from "../../../../connect/variables.ts";
import type { Call, Sample } from "./sample.ts";

export const sendsKey = ({ hasKey, isOpen }: Call) => hasKey || !isOpen;

/** The tool's id, with the version unless it is the newest. */
export const toolId = ({ tool, version, isNewest }: Call) => (isNewest ? tool.id : `${tool.id}@${version.version}`);

export function variablesOf({ needs: { secrets = [], authorization = [], user_id } }: Call): readonly string[] {
  return [...[...secrets, ...authorization].map(({ id }) => variableOf(id)), ...(user_id ? [USER_ID] : [])];
}

/** Stands for the value of a variable until the text of the sample is made. */
const mark = (variable: string) => `\uE000${variable}\uE000`;
/** A text that is nothing but such a mark, with its quotes. */
const MARK = /"\uE000(\w+)\uE000"/g;

/** The context of an OXP call, with a mark for each value; undefined if the tool requires nothing. */
export function contextOf(call: Call): CallContext | undefined {
  if (variablesOf(call).length === 0) return undefined;
  const { secrets = [], authorization = [], user_id } = call.needs;
  return {
    ...(secrets.length > 0 && { secrets: secrets.map(({ id }) => ({ id, value: mark(variableOf(id)) })) }),
    ...(authorization.length > 0 && {
      authorization: authorization.map(({ id }) => ({ id, token: mark(variableOf(id)) })),
    }),
    ...(user_id && { user_id: mark(USER_ID) }),
  };
}

/** Replaces the marks in a text by what `read` makes of their variables. */
export function filled(text: string, read: (variable: string) => string): string {
  return text.replace(MARK, (_, variable: string) => read(variable));
}

/** A sample, after how to set the variables that it reads; alone if it reads none. */
export function afterVariables(call: Call, sample: Sample): readonly Sample[] {
  const { group, id, title, text } = sample;
  const own = variablesOf(call).filter((name) => text.includes(name));
  const lines = [...(sendsKey(call) ? [`export ${KEY}=trivet_…`] : []), ...own.map((name) => `export ${name}=…`)];
  if (lines.length === 0) return [sample];
  const variables = {
    group,
    id: `${id}-variables`,
    title: `${title}: first, once per terminal`,
    language: "sh",
  } as const;
  return [
    { ...variables, text: lines.join("\n") },
    { ...sample, title: `${title}: the call` },
  ];
}
