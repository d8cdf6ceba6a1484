/** What a fork offers, as one list: tools, prompts, resources and events. */
import type { Discovery } from "../../build/read/discovery.ts";

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
  return [
    ...tools.map(({ id, path, toolkit, description, traits }) => ({ name: id, path, toolkit, description, traits })),
    ...prompts.map(({ name, path, toolkit, about, traits }) => offer(name, path, toolkit, about, traits)),
    ...resources.map(({ uri, path, toolkit, about, traits }) => offer(uri, path, toolkit, about, traits)),
    ...events.map(({ name, path, toolkit, about, traits }) => offer(name, path, toolkit, about, traits)),
  ];
}

function offer(
  name: string,
  path: string,
  toolkit: string,
  about: { description: string },
  traits: Traits,
): ListedOffer {
  return { name, path, toolkit, description: about.description, traits };
}
