/** How to connect each host to this server, for a person who has opened its page. Pure. */
import {
  type Server as Filled,
  HOSTS,
  hasPlainHost,
  isLocalUrl,
  PLACEHOLDER,
  type Step,
  shortName,
} from "../../../../connect/hosts.ts";
import type { Link } from "../../../../connect/links.ts";

/** What the page has found out. */
export interface Site {
  /** Where it was loaded from: `https://tools.example.com`. */
  readonly origin: string;
  readonly name: string;
  readonly title?: string | undefined;
  /** Whether it listed tools to a caller without a credential. */
  readonly isOpen: boolean;
  /** Where users sign in: at the server itself, or at an identity provider. */
  readonly signIn: "own" | "provider" | undefined;
}

export interface Connection {
  readonly id: string;
  readonly title: string;
  /** Opens the host with the server filled in. */
  readonly link?: Link;
  /** The same for other editions of the host. */
  readonly otherLinks?: readonly Link[];
  readonly steps: readonly Step[];
  readonly note?: string;
}

const NOT_FILLED_IN =
  "The address of this server has characters that a shell reads. Open this page at an address without them.";

/** @returns one for each host. It contains no secret: where a key is needed, there is a placeholder or a prompt */
export function connections(site: Site): readonly Connection[] {
  const server: Filled = {
    name: shortName(site.name),
    title: site.title ?? site.name,
    base: site.origin,
    key: site.isOpen ? undefined : PLACEHOLDER,
    isLocal: isLocalUrl(site.origin),
    signIn: site.signIn,
    isPublic: site.isOpen,
    entry: entryOf(site),
  };
  return (
    [...HOSTS]
      // The page shows calls with curl beside each tool.
      .filter(([id]) => id !== "curl")
      .map(([id, { title, place, steps, links, note }]) => {
        if (!hasPlainHost(site.origin)) return { id, title, steps: [{ text: NOT_FILLED_IN }] };
        const [link, ...others] = links?.(server) ?? [];
        const text = note?.(server);
        const all = [...(place === undefined ? [] : [{ text: `In ${place}:` }]), ...steps(server)];
        return {
          id,
          title,
          ...(link && { link }),
          ...(others.length > 0 && { otherLinks: others }),
          steps: all.flatMap(replacing),
          ...(text !== undefined && { note: text }),
        };
      })
  );
}

/** Tells to replace the placeholder of a step, if it has one. */
function replacing(step: Step): readonly Step[] {
  if (!("code" in step && step.code.includes(PLACEHOLDER))) return [step];
  return [step, { text: `Write your key in place of ${PLACEHOLDER}.` }];
}

/** How a host that sends no key gets access. */
function entryOf({ signIn, isOpen }: Site): string {
  if (signIn === "own") return "It opens a page of this server: sign in there with your key.";
  if (signIn === "provider") return "It opens the sign-in of this server's identity provider.";
  if (isOpen) return "No key is needed for the tools that this page shows without one.";
  return "It sends no key, and this server has no sign-in: ask its owner to turn that on, or use another client.";
}
