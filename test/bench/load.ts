/** Generates load, in its own process: many connections, each checking an answer before it sends its next request. */
import { type Exchange, type Given, SCENARIOS } from "./scenarios.ts";
import { TASK_SCENARIOS } from "./task-scenarios.ts";
import { Connection } from "./wire.ts";

export interface Order {
  readonly scenario: string;
  readonly port: number;
  readonly connections: number;
  /** Either a duration or a number of requests. */
  readonly seconds?: number;
  readonly requests?: number;
  readonly given: Given;
}

export interface Measured {
  readonly requests: number;
  readonly seconds: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Size of the first answer's body. */
  readonly bytes: number;
}

export type Reply = { readonly measured: Measured } | { readonly failed: string };

/** Sends the load. Throws if an answer is not the expected one. */
export async function carryOut({
  scenario: name,
  port,
  connections,
  seconds,
  requests,
  given,
}: Order): Promise<Measured> {
  const scenario = [...SCENARIOS, ...TASK_SCENARIOS].find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`no scenario is called ${name}`);
  const all = Array.from({ length: connections }, () => new Connection(port));
  const first = all[0] as Connection;
  const next = await scenario.open((request) => first.send(request), given);
  const bytes = (await first.send(next(0).request)).body.length;
  const times: number[] = [];
  let sent = 1;
  const started = performance.now();
  const end = started + (seconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const most = (requests ?? Number.POSITIVE_INFINITY) + sent;
  await Promise.all(
    all.map(async (connection) => {
      for (let now = performance.now(); now < end && sent < most; ) {
        const exchange = next(sent++);
        const answer = await connection.send(exchange.request);
        const then = performance.now();
        times.push(then - now);
        now = then;
        check(exchange, answer);
      }
    }),
  );
  const took = (performance.now() - started) / 1_000;
  for (const connection of all) connection.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 1_000);
  return { requests: times.length, seconds: took, p50: at(0.5), p99: at(0.99), bytes };
}

/** Throws unless the answer has the expected status and exactly the expected bytes. */
function check({ status, body }: Exchange, answer: { readonly status: number; readonly body: Buffer }): void {
  const fits = answer.status === status && (typeof body === "function" ? body(answer.body) : body.equals(answer.body));
  if (!fits) throw new Error(`expected ${status}, got ${answer.status}: ${answer.body.toString("utf8", 0, 500)}`);
}

if (import.meta.main) {
  process.on("message", (order: Order) => {
    carryOut(order).then(
      (measured) => process.send?.({ measured } satisfies Reply),
      (error) => process.send?.({ failed: `${order.scenario}: ${(error as Error).message}` } satisfies Reply),
    );
  });
}
