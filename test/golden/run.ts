/** `npm run golden`: compares every exchange with its transcript; with `--write`, records the transcripts again. */
import { startVitest } from "vitest/node";

if (process.argv.includes("--write")) process.env.GOLDEN = "write";
const vitest = await startVitest("test", ["test/golden/"], {
  config: "test/vitest.config.ts",
  project: ["node"],
  watch: false,
  silent: false,
});
await vitest.close();
