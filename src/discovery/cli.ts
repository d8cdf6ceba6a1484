/** `node src/discovery/cli.ts`: runs discovery, on start, test, deploy and install. `--help` lists its options. */
import module from "node:module";

// Loading wrangler, which reads wrangler.toml, takes half as long from the cache.
module.enableCompileCache();
const { main } = await import("./run-discovery.ts");
process.exitCode = await main(process.argv.slice(2), { console, env: process.env });
