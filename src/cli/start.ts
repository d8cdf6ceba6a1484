/** `npm start` and `npm run start:closed`, after discovery: runs wrangler's server, with a key for its tunnel. */
import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startOptions, TUNNEL_KEY } from "./start/options.ts";

const CLOSED = "--closed";
const asked = process.argv.slice(2);
const { args, isReadable, key, ...start } = startOptions(
  asked.filter((word) => word !== CLOSED),
  asked.includes(CLOSED),
);
const env = { ...process.env, ...start.env } as NodeJS.ProcessEnv;
if (key) {
  const keys = join(import.meta.dirname, "keys.ts");
  const made = execFileSync(process.execPath, [keys, ...key], {
    encoding: "utf8",
    stdio: ["inherit", "pipe", "inherit"],
  });
  env[TUNNEL_KEY] = made.split("\n")[0];
}
const shown = isReadable ? ["--import", new URL("start/console.ts", import.meta.url).href] : [];
// The script that wrangler's command would run in a process of its own.
const wrangler = createRequire(import.meta.url).resolve("wrangler");
const server = spawn(process.execPath, ["--no-warnings", ...shown, wrangler, ...args], { stdio: "inherit", env });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill());
server.on("exit", (code) => process.exit(code ?? 0));
