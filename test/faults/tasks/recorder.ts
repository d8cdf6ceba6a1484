/** Records the effects of tools in this process, which outlives the servers that it kills. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Recorder {
  /** Where tools send their effects. */
  readonly url: string;
  /** The values of a task's effects of one name, in order. */
  valuesOf(task: string, what: string): readonly string[];
  /** All effects of a task, in order. */
  of(task: string): readonly string[];
  close(): void;
}

/** @param onEffect called when an effect has happened, before its tool knows */
export async function openRecorder(onEffect: () => void): Promise<Recorder> {
  const effects: { readonly name: string; readonly what: string; readonly value: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    effects.push(JSON.parse(text));
    onEffect();
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    valuesOf: (task, what) => effects.filter((one) => one.name === task && one.what === what).map(({ value }) => value),
    of: (task) => effects.filter(({ name }) => name === task).map(({ what, value }) => `${what} ${value}`),
    close: () => server.close(),
  };
}
