/**
 * Has every client finish a tool that takes three minutes, in real time, at once, against one server with the settings
 * of a deployment. Prints how each fared, and exits 1 unless all got the result of one run.
 *
 *   node test/three-minutes.ts [SECONDS]
 */

import { newName, seen, serveLong } from "./support/node/long.ts";
import { LONG_CLIENTS } from "./support/node/long-clients.ts";

const seconds = Number(process.argv[2] ?? 180);
const server = await serveLong({ vars: { LONG_WAIT_SECONDS: "45", TASK_LEASE_SECONDS: "90" } });
const { url } = server;

async function finish(client: string): Promise<boolean> {
  const name = newName();
  const began = performance.now();
  const tookSeconds = () => `${((performance.now() - began) / 1_000).toFixed(1)} s`;
  try {
    const reports = ["a third", "two thirds", "the rest"];
    const { text, calls } = (await LONG_CLIENTS[client]?.(url, { name, ms: seconds * 1_000, reports })) ?? {};
    const runs = (await seen(url, name)).filter((what) => what === "begun").length;
    console.log(`${client}: ${text} after ${tookSeconds()}, ${calls} requests, ${runs} run`);
    return text === `${name} is done` && runs === 1;
  } catch (error) {
    console.log(`${client}: failed after ${tookSeconds()}: ${error}`);
    return false;
  }
}

const done = await Promise.all(Object.keys(LONG_CLIENTS).map(finish));
await server.stop();
process.exit(done.every(Boolean) ? 0 : 1);
