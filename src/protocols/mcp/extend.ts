/** How an extension adds its methods to those of both eras. */

import type { legacyDialect } from "./legacy/dialect.ts";
import type { MoreMethods, modernEra } from "./modern/era.ts";
import type { Dialect } from "./transport/dialect.ts";

/** Adds methods to 2026-07-28: wraps what makes the era. Extensions that are added later come after this one. */
export function extendModern(extend: MoreMethods) {
  return (inner: typeof modernEra): typeof modernEra =>
    (supported, more = (methods) => methods) =>
      inner(supported, (plain) => more(extend(plain)));
}

/** Adds methods to the revisions with a handshake: wraps what finds the dialect of a revision. */
export function extendLegacy(extend: MoreMethods) {
  return (inner: typeof legacyDialect): typeof legacyDialect => {
    // One for each revision, as without the extension.
    const extended = new Map<Dialect, Dialect>();
    return (revision) => {
      const plain = inner(revision);
      const dialect = extended.get(plain) ?? { ...plain, methods: extend(plain.methods) };
      extended.set(plain, dialect);
      return dialect;
    };
  };
}
