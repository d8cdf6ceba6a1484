/** How an extension adds its methods to those of both eras. */
import type { Dialect } from "../transport/dialect.ts";
import type { legacyDialect } from "./legacy/dialect.ts";
import type { MoreMethods, modernEra } from "./modern/era.ts";

/** Adds methods to 2026-07-28. @param inner makes the era; extensions that are added later come after this one */
export function extendModern(inner: typeof modernEra, extend: MoreMethods): typeof modernEra {
  return (supported, more = (methods) => methods) => inner(supported, (plain) => more(extend(plain)));
}

/** Adds methods to the revisions with a handshake. @param inner finds the dialect of a revision */
export function extendLegacy(inner: typeof legacyDialect, extend: MoreMethods): typeof legacyDialect {
  // One for each revision, as without the extension.
  const extended = new Map<Dialect, Dialect>();
  return (revision) => {
    const plain = inner(revision);
    const dialect = extended.get(plain) ?? { ...plain, methods: extend(plain.methods) };
    extended.set(plain, dialect);
    return dialect;
  };
}
