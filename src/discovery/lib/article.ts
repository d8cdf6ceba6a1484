/** The indefinite article of a kind, for messages. */
export function article(kind: string): "a" | "an" {
  return kind === "event" ? "an" : "a";
}
