/** What a fork offers, as one list: tools, prompts, resources and events. */
import type { Discovery } from "../../discovery/read/discovery.ts";

type Traits = Discovery[keyof Pick<Discovery, "tools" | "prompts" | "resources" | "events">][number]["traits"];

/** A tool, a prompt, a resource or an event. */
export interface ListedOffer {
  /** As callers write it: a tool's id, a prompt's or an event's name, a resource's URI. */
  readonly name: string;
  /** Path of its file. */
  readonly path: string;
  readonly toolkit: string;
  readonly description: string;
  readonly traits: Traits;
}

/** All offers of a fork, in one form. */
export function offersOf({ tools, prompts, resources, events }: Discovery): ListedOffer[] {
  const others = [...prompts, ...resources.map((one) => ({ ...one, name: one.uri })), ...events];
  return [
    ...tools.map(({ id, path, toolkit, description, traits }) => ({ name: id, path, toolkit, description, traits })),
    ...others.map(({ name, path, toolkit, about: { description }, traits }) => {
      return { name, path, toolkit, description, traits };
    }),
  ];
}
