/** What a fork offers, as one list: tools, prompts, resources and events. */
import type { Discovery } from "../../discovery/read/discovery.ts";

type ToolOptions = Discovery[keyof Pick<Discovery, "tools" | "prompts" | "resources" | "events">][number]["options"];

/** A tool, a prompt, a resource or an event. */
export interface ListedPrimitive {
  /** As callers write it: a tool's id, a prompt's or an event's name, a resource's URI. */
  readonly name: string;
  readonly path: string;
  readonly toolkit: string;
  readonly description: string;
  readonly options: ToolOptions;
}

export function primitivesOf({ tools, prompts, resources, events }: Discovery): ListedPrimitive[] {
  const others = [...prompts, ...resources.map((one) => ({ ...one, name: one.uri })), ...events];
  return [
    ...tools.map(({ id, path, toolkit, description, options }) => ({ name: id, path, toolkit, description, options })),
    ...others.map(({ name, path, toolkit, about: { description }, options }) => {
      return { name, path, toolkit, description, options };
    }),
  ];
}
