/** Has tools emit events while the server is killed again and again, and receivers misbehave; then checks each event. */
import { setTimeout as sleep } from "node:timers/promises";
import { SECRET } from "../../support/node/attacks/tokens.ts";
import { longRig } from "../../support/node/long-rig.ts";
import { type Received, startReceiver } from "../../support/node/receiver.ts";
import { Lives } from "../lives.ts";
import { randomOf } from "../random.ts";
import { Channel } from "./channel.ts";
import { type Emitted, type Found, judge } from "./judge.ts";
import { MOMENTS, type Moment, noOutboxTally, type OutboxPlan, type OutboxTally } from "./plan.ts";
import { deliveries, PROTOCOLS, positions, subscribe, type Telling, tell } from "./wire.ts";

const REGULARS = ["ann", "ben", "cat", "dan"];
/**
 * Each tenth event is the only one of its principal, so that nothing but the alarm can bring it after a kill. Its
 * receiver does not answer at first, so that a kill comes before it has arrived.
 */
const isLone = (n: number) => n % 10 === 9;
const principalOf = (n: number) => (isLone(n) ? `lone-${n}` : (REGULARS[n % REGULARS.length] as string));
/** An answer may take up to this many milliseconds, so that a kill can come before it. */
const SLOW_MS = 20;
/** How long the outbox may take after the last kill. Only a run that fails takes as long. */
const SETTLE_MS = 120_000;
/** How long nothing may happen after one more kill. */
const REST_MS = 2_000;

/** Runs the whole plan in a server of its own. */
export async function driveOutbox(plan: OutboxPlan, progress?: (soFar: OutboxTally) => void): Promise<OutboxTally> {
  const tally = noOutboxTally();
  const random = randomOf(plan.seed);
  const channels = new Map<string, Channel>();
  const decide = async (one: Received) => {
    const channel = channels.get(one.path);
    if (channel === undefined) throw new Error(`nothing is to be sent to ${one.path}`);
    const { answer } = channel.take(one, lives.count, numberIn(one.path));
    const kind = typeof answer === "object" ? String(answer.status) : answer;
    tally.answers[kind] = (tally.answers[kind] ?? 0) + 1;
    lives.at("attempt");
    await sleep(SLOW_MS * random());
    setImmediate(() => lives.at("answer"));
    return answer;
  };
  const receivers = [await startReceiver(0, decide), await startReceiver(0, decide)] as const;
  const rig = await longRig({
    ...{ tools: "test/faults/outbox/tools", hasWorkflow: false, hasOutbox: true, closed: true },
    vars: {
      ...{ TOKENS: "true", JWT_SECRET: SECRET, PUBLIC: "false", LOG_CALLS: "false" },
      ALLOWED_HOSTS: receivers.map(({ host }) => host).join(" "),
      ...{ OUTBOX_MINUTE_MS: String(plan.minuteMs), OUTBOX_ATTEMPT_MS: String(plan.attemptMs) },
    },
  });
  const killedAt: number[] = [];
  const lives = new Lives<Moment>(rig, { ...plan, moments: MOMENTS }, random, (moment) => {
    killedAt.push(Date.now());
    tally.kills[moment]++;
    progress?.(tally);
  });
  const open = (given: Omit<Channel["given"], "url">, receiver: 0 | 1, path: string): Channel => {
    const channel = new Channel(plan.seed, { ...given, url: receivers[receiver].url(path) });
    channels.set(path, channel);
    return channel;
  };
  /** Asks until there is an answer, across the server's deaths. */
  const insist = async <Answer>(ask: (url: string) => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const url = (await lives.url()).replace(/\/$/, "");
      try {
        return await ask(url);
      } catch {
        tally.unanswered++;
        await sleep(50);
      }
    }
  };

  const numbers = Array.from({ length: plan.events }, (_, n) => n);
  const principals = [...REGULARS, ...numbers.filter(isLone).map(principalOf)];
  const lone = numbers.filter(isLone).map((n) => {
    const by = principalOf(n);
    return open({ by, secret: newSecret(), isCallback: false, faulty: 0, isSlow: true }, 0, `/${by}`);
  });
  const regular = REGULARS.flatMap((by, at) => {
    const own = (name: string, receiver: 0 | 1, more: { faulty: number; list?: string; goneFrom?: number }) =>
      open({ by, secret: newSecret(), isCallback: false, ...more }, receiver, `/${by}/${name}`);
    return [
      own("all", 0, { faulty: 0.3 }),
      own("list", 0, { faulty: 0.2, list: "a" }),
      own("faulty", 1, { faulty: 0.8 }),
      // Half of the principals have a receiver that is gone for good at some time.
      ...(at % 2 === 0 ? [own("gone", 1, { faulty: 0.1, goneFrom: plan.events / 12 })] : []),
    ];
  });

  const emit = async (n: number): Promise<Emitted> => {
    const life = Math.floor((n * plan.kills) / plan.events);
    while (lives.count < life) await sleep(50);
    await sleep(random() * plan.livesMs * 0.8);
    const telling = tellingOf(n, random);
    if (telling.callback) {
      const { secret } = telling.callback;
      const given = { by: telling.by, secret, isCallback: true, faulty: 0.5, goneFrom: n % 16 === 0 ? 1 : undefined };
      const channel = open(given, n % 2 === 0 ? 0 : 1, `/callback/${n}`);
      Object.assign(telling.callback, { url: channel.given.url });
    }
    const begun = Date.now();
    for (;;) {
      const has = await insist((url) => {
        tally.calls++;
        const telling_ = tell(url, telling);
        lives.at("emit");
        return telling_;
      });
      if (has) return { n, by: telling.by, list: telling.input.list, begun, known: Date.now() };
      await sleep(50);
    }
  };

  /** Replaces the secret of a subscription. */
  const rotate = async (channel: Channel): Promise<void> => {
    while (lives.count < plan.kills / 2) await sleep(50);
    const secret = newSecret();
    channel.next = { secret, since: Number.POSITIVE_INFINITY };
    const { url, by, list } = channel.given;
    await insist((server) => subscribe(server, by, url, secret, list));
    channel.next = { secret, since: Date.now() };
  };

  try {
    await rig.start();
    for (const channel of [...lone, ...regular]) {
      const { by, url, secret, list } = channel.given;
      channel.id = (await subscribe((await lives.url()).replace(/\/$/, ""), by, url, secret, list)).id;
    }
    const [emitted] = await Promise.all([
      Promise.all(numbers.map(emit)),
      lives.run(),
      // Not one that has ended: that would be a new subscription.
      ...regular.filter(({ given }, at) => given.goneFrom === undefined && at % 2 === 0).map(rotate),
    ]);
    const waiting = () =>
      Promise.all(principals.map((by) => insist((url) => deliveries(url, by, "waiting")))).then((all) => all.flat());
    const end = performance.now() + SETTLE_MS;
    while ((await waiting()).length > 0 && performance.now() < end) await sleep(200);
    const left = await waiting();
    const count = () => [...channels.values()].reduce((sum, { attempts }) => sum + attempts.length, 0);
    const before = count();
    if (left.length === 0) {
      await lives.kill("any");
      await sleep(REST_MS);
      tally.wrong.restless = count() - before;
    }
    const found: Found = { emitted, channels: [...channels.values()], left, killedAt, dead: [], positions: new Map() };
    for (const by of principals) {
      found.dead.push(...(await insist((url) => deliveries(url, by, "dead"))));
      for (const [n, position] of await insist((url) => positions(url, by))) found.positions.set(n, position);
    }
    judge(found, plan, tally);
    return tally;
  } finally {
    await rig.remove();
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  }
}

/** What is told, and how. Without a key, the event has an id of its own; a callback is given for some. */
function tellingOf(n: number, random: () => number): Telling {
  const over = PROTOCOLS[Math.floor(random() * PROTOCOLS.length)] as Telling["over"];
  const key = random() < 0.7 ? `key-${n}` : undefined;
  const input = { n, list: random() < 0.5 ? "a" : "b", ...(key === undefined && { id: `own-${n}` }) };
  const callback = { url: "", secret: `${n}`.padStart(32, "x"), ...(random() < 0.5 && { token: `token-${n}` }) };
  const hasCallback = key !== undefined && !isLone(n) && random() < 0.4;
  return { over, by: principalOf(n), key, input, ...(hasCallback && { callback }) };
}

function newSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
}

/** The number of the event whose callback has this path. */
function numberIn(path: string): number | undefined {
  const [, n] = /^\/callback\/(\d+)$/.exec(path) ?? [];
  return n === undefined ? undefined : Number(n);
}
