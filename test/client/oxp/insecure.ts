/** Calls from a page that did not come over https, where `crypto.randomUUID` is missing. */
import { OxpClient } from "../../../src/client/oxp.ts";

/** @returns whether that is so, and the ids of two calls */
export async function run(): Promise<{ readonly hasRandomUUID: boolean; readonly ids: readonly string[] }> {
  const fetch = async () => Response.json({ result: { success: true } });
  const client = new OxpClient({ url: "http://tools.example", fetch });
  const calls = await Promise.all([client.call("A.B"), client.call("A.B")]);
  return { hasRandomUUID: "randomUUID" in crypto, ids: calls.map(({ callId }) => callId) };
}
