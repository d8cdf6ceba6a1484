/** What a server tells models about itself. Bundled only if the catalogue has instructions. */

export interface Instructions {
  /** About the whole server. */
  readonly server?: string | undefined;
  /** Texts about toolkits, by folder name, in the order of the names. */
  readonly toolkits: Readonly<Record<string, string>>;
}

/**
 * @param visible the toolkits that the caller can see
 * @param toolkit the toolkit whose path the caller used; undefined for all
 * @returns undefined if there is nothing to tell
 */
export type InstructionsFor = (visible: ReadonlySet<string>, toolkit: string | undefined) => string | undefined;

/** Joins the texts that concern a caller. On a toolkit's own path, only the text of the toolkit does. */
export function instructionsFor({ server, toolkits }: Instructions): InstructionsFor {
  return (visible, toolkit) => {
    const isTold = (name: string) => visible.has(name) && (toolkit === undefined || name === toolkit);
    const texts = Object.entries(toolkits).flatMap(([name, text]) => (isTold(name) ? [text] : []));
    if (toolkit !== undefined) return texts[0];
    return [...(server === undefined ? [] : [server]), ...texts].join("\n\n") || undefined;
  };
}
