/** Tells upstream's repository from a fork. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const path = resolve(import.meta.dirname, "../../../wrangler.toml");

/** The text of its wrangler.toml; "" if it has none. */
export const shippedSettings = existsSync(path) ? readFileSync(path, "utf8") : "";

/**
 * Whether this is upstream's, where wrangler.toml and README.md are as they are shipped. In a fork they are its owner's,
 * so tests of them are skipped. A fork is known by `name` or `SERVER_NAME`, which upstream never changes.
 */
export const isUpstream =
  /^name = "trivet"$/m.test(shippedSettings) && /^SERVER_NAME = "trivet"$/m.test(shippedSettings);
