/** Runs discovery in this process, as `npm run discover` does in one of its own. */
import { main } from "../../../src/discovery/run-discovery.ts";
import { type Exited, recordingConsole } from "./script.ts";

/**
 * @param tools the folder of tools, beside which wrangler.toml is
 * @param out   path of the catalogue that it writes
 * @param env   is added to this process's environment
 */
export async function runDiscovery(
  tools: string,
  out: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Exited> {
  const { printed, console } = recordingConsole();
  const code = await main(["--tools", tools, "--out", out, ...args], { console, env: { ...process.env, ...env } });
  return { code, ...printed };
}

/** Returns what discovery says about the files whose path in `tools/` begins so. */
export function about(stderr: string, start: string): string {
  const messages = stderr.split(/^(?=tools\/)/m);
  return messages.filter((message) => message.startsWith(start)).join("");
}
