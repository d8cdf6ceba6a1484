/**
 * `node test/support/node/serve.ts FILE`: serves a built Worker in workerd with miniflare alone. FILE has its options
 * as JSON. Prints the address.
 */
import { readFileSync } from "node:fs";
import { Miniflare, type MiniflareOptions } from "miniflare";

const options: MiniflareOptions = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const miniflare = new Miniflare(options);
const { href } = await miniflare.ready;
console.log(JSON.stringify({ href }));
process.on("SIGTERM", () => miniflare.dispose().then(() => process.exit()));
