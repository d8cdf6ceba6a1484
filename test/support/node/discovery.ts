/** Runs discovery in this process, as `npm run discover` does in one of its own. */
import { main } from "../../../src/build/main.ts";

export interface Ran {
  /** The exit code. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

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
): Promise<Ran> {
  const printed = { stdout: "", stderr: "" };
  const printTo = (stream: keyof typeof printed) => (text: string) => {
    printed[stream] += `${text}\n`;
  };
  const console = { log: printTo("stdout"), warn: printTo("stderr"), error: printTo("stderr") };
  const code = await main(["--tools", tools, "--out", out, ...args], { console, env: { ...process.env, ...env } });
  return { code, ...printed };
}
