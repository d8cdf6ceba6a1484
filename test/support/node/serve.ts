/**
 * `node test/support/node/serve.ts FILE`: serves a built Worker in workerd with miniflare alone. FILE has its options
 * as JSON. Prints the address.
 */
import { readFileSync } from "node:fs";
import { Miniflare } from "miniflare";
import { addressOf } from "./worker.ts";

const miniflare = new Miniflare(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
console.log(await addressOf(miniflare));
process.on("SIGTERM", () => miniflare.dispose().then(() => process.exit()));
