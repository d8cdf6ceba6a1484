/** Measures the time from process start to the first answer, for deployments with few and many tools. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/node/fork.ts";
import type { Field } from "./contestants.ts";
import { median } from "./report.ts";
import { launch, writeConfig } from "./server.ts";
import { type Answer, Connection, encode } from "./wire.ts";

export type Cold = readonly { readonly tools: number; readonly ms: number; readonly ofOne: number }[];

const PLACES = [
  ["one", 1],
  ["thousand", 1_000],
] as const;
const CALL = encode({
  method: "POST",
  path: "/tools/call",
  body: { request: { tool_id: "Sums.Add", input: { a: 1, b: 2 } } },
});

export async function coldStart(field: Field, rounds: number): Promise<Cold> {
  const folder = mkdtempSync(join(tmpdir(), "trivet-cold-"));
  const times = new Map<number, number[]>(PLACES.map(([, tools]) => [tools, []]));
  try {
    const vars = { PUBLIC: "true", RATE_PER_MINUTE: "" };
    const modules = await Promise.all(
      PLACES.map(async ([place, tools]) => ({ tools, module: await field.module(place) })),
    );
    // The very first start reads workerd from disk.
    for (let round = 0; round <= rounds; round++) {
      for (const { tools, module } of modules) {
        const port = await freePort();
        const config = writeConfig(
          { name: String(tools), module, flags: ["enable_request_signal"], vars },
          folder,
          port,
        );
        const ms = await firstAnswer(config, port);
        if (round > 0) times.get(tools)?.push(ms);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const one = times.get(1) ?? [];
  return [...times].map(([tools, all]) => ({
    tools,
    ms: median(all),
    ofOne: median(all.map((ms, round) => ms / (one[round] ?? Number.NaN))),
  }));
}

/** Returns the milliseconds from the start of the process to the answer of its first call. */
async function firstAnswer(config: string, port: number): Promise<number> {
  const started = performance.now();
  const child = launch(config);
  const ended = new Promise<void>((exited) => child.once("exit", () => exited()));
  try {
    const { status, body } = await callUntilHeard(port, started);
    const ms = performance.now() - started;
    if (status !== 200 || !body.includes('"value":3')) throw new Error(`first answer: ${status} ${body}`);
    return ms;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Retries without a pause until the server answers. */
async function callUntilHeard(port: number, started: number): Promise<Answer> {
  for (;;) {
    const connection = new Connection(port);
    try {
      return await connection.send(CALL);
    } catch (error) {
      if (performance.now() - started > 10_000) throw new Error("no answer within ten seconds", { cause: error });
      await new Promise((resume) => setTimeout(resume, 1));
    } finally {
      connection.close();
    }
  }
}
