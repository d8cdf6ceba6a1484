/** What a program does with a server, from the version to a call without a key. Runs in all runtimes. */
import { FunctionCall, OpenToolClient, OpenToolException } from "../../../src/client/opentool.ts";

export interface Input {
  readonly url: string;
  readonly apiKey: string;
  /** Name and arguments of a call that returns something, and of one that fails. */
  readonly good: readonly [string, Record<string, unknown>];
  readonly bad: readonly [string, Record<string, unknown>];
}

/** Sessions with several servers, one after the other. */
export async function run(inputs: readonly Input[]): Promise<object[]> {
  const sessions: object[] = [];
  for (const input of inputs) sessions.push(await sessionOf(input));
  return sessions;
}

async function sessionOf({ url, apiKey, good, bad }: Input): Promise<object> {
  const client = new OpenToolClient({ url, apiKey });
  const callOf = ([name, args]: Input["good"]) => new FunctionCall(crypto.randomUUID(), name, args);
  const result = async (options = {}) => (await client.call(callOf(good), options)).result;
  const stranger = new OpenToolClient({ url });
  const once = { idempotencyKey: crypto.randomUUID() };
  return {
    version: await client.version(),
    document: await client.load(),
    good: await result(),
    goodStream: await streamed(client, callOf(good)),
    bad: await outcomeOf(client.call(callOf(bad))),
    badStream: await streamed(client, callOf(bad)),
    repeated: [await result(once), await result(once)],
    withoutKey: [
      await outcomeOf(stranger.version()),
      await outcomeOf(stranger.load()),
      await outcomeOf(stranger.call(callOf(good))),
      ...(await streamed(stranger, callOf(good))),
    ],
  };
}

async function streamed(client: OpenToolClient, call: FunctionCall): Promise<unknown[]> {
  const events: unknown[] = [];
  const done = (async () => {
    for await (const { event, toolReturn } of client.streamCall(call)) {
      events.push([event, toolReturn.id === call.id ? toolReturn.result : "another call's"]);
    }
  })();
  const failed = await outcomeOf(done);
  return failed === undefined ? events : [...events, failed];
}

function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error) => {
    if (!(error instanceof OpenToolException)) throw error;
    const { name, message, code, data } = error as OpenToolException & { code?: number; data?: unknown };
    return { threw: name, message, code, data };
  });
}
