/** Checks what became of every event, for every subscription and callback that it was for. */
import { type Attempt, type Channel, isAcknowledged } from "./channel.ts";
import { type OutboxPlan, type OutboxTally, RETRY_AFTER_SECONDS } from "./plan.ts";
import type { Listed } from "./wire.ts";

/** An event that a tool has emitted. */
export interface Emitted {
  readonly n: number;
  readonly by: string;
  readonly list: string;
  /** When its call was first made, and when the call was answered. */
  readonly begun: number;
  readonly known: number;
}

export interface Found {
  readonly emitted: readonly Emitted[];
  readonly channels: readonly Channel[];
  /** What still waited in the end, and what was given up. */
  readonly left: readonly Listed[];
  readonly dead: Listed[];
  /** When the server was killed. */
  readonly killedAt: readonly number[];
  /** Of events, by their number. */
  readonly positions: Map<number, number>;
}

/** A kill so soon after an answer may have come before it was noted. Far longer than that takes. */
const NOTED_MS = 5_000;
/** What is wrong, and because of what. */
type Note = (what: keyof OutboxTally["wrong"], because: string) => void;

export function judge(found: Found, plan: OutboxPlan, tally: OutboxTally): void {
  const { wrong, samples } = tally;
  const noteOn =
    ({ given }: Channel): Note =>
    (what, because) => {
      wrong[what]++;
      samples.push(`${what}: ${new URL(given.url).pathname}: ${because}`);
    };
  tally.events = found.emitted.length;
  wrong.waiting += found.left.length;
  for (const one of found.left) samples.push(`waiting: ${JSON.stringify(one)}`);
  if (wrong.restless > 0) samples.push(`restless: ${wrong.restless} attempts after everything had ended`);
  const ids = idsOf(found, noteOn);
  for (const channel of found.channels) {
    const note = noteOn(channel);
    tally.attempts += channel.attempts.length;
    const settled = new Map<number, number>();
    for (const one of expected(channel, found)) {
      const { isCallback, url } = channel.given;
      const letter = found.dead.find(
        (letter) => letter.url === url && (isCallback || letter.event_id === ids.get(one.n)),
      );
      settled.set(one.n, settle(one, channel, letter, tally, note));
    }
    judgeAttempts(channel, found, plan, note);
    if (channel.given.isCallback) continue;
    judgeNumbers(channel, found, note);
    judgeCursors(channel, found, settled, note);
  }
}

/** The id of each event, which is the same for all subscriptions. */
function idsOf({ channels }: Found, noteOn: (channel: Channel) => Note): Map<number, string> {
  const ids = new Map<number, string>();
  for (const channel of channels) {
    const own = channel.given.isCallback ? new Map<number, string>() : ids;
    for (const { n, id } of channel.attempts) {
      if (own.has(n) && own.get(n) !== id) noteOn(channel)("twoIds", `${n} is ${id} and ${own.get(n)}`);
      own.set(n, id);
    }
  }
  return ids;
}

/** The events that are for a channel. */
function expected({ given }: Channel, { emitted }: Found): readonly Emitted[] {
  if (given.isCallback) return emitted.filter(({ n }) => given.url.endsWith(`/callback/${n}`));
  return emitted.filter(({ by, list }) => by === given.by && list === (given.list ?? list));
}

/** @returns when an event was delivered or given up, at the earliest */
function settle(
  { n, known }: Emitted,
  channel: Channel,
  letter: Listed | undefined,
  tally: OutboxTally,
  note: Note,
): number {
  tally.deliveries++;
  const attempts = channel.of(n);
  const first = attempts.findIndex(({ answer }) => isAcknowledged(answer));
  if (letter) {
    const { reason = "" } = letter;
    tally.dead[reason] = (tally.dead[reason] ?? 0) + 1;
    const isFair = (first < 0 || reason === GONE) && (MAY_END[reason]?.(attempts, channel) ?? false);
    if (!isFair) note("unreasonable", `${n} was given up: ${reason}; ${told(attempts)}`);
    return attempts.at(-1)?.at ?? 0;
  }
  if (first >= 0) {
    tally.delivered++;
    if (attempts.length > first + 1) tally.repeated++;
    return (attempts[first] as Attempt).at;
  }
  const end = channel.attempts.find(({ answer }) => answer === "gone");
  if (end && known > end.at && attempts.length === 0) tally.late++;
  else note("lost", `${n}, known at ${known}; ${told(attempts)}`);
  return Number.POSITIVE_INFINITY;
}

/** Signatures, `Retry-After`, and that nothing comes after 410 and 413. */
function judgeAttempts({ attempts }: Channel, { killedAt }: Found, { attemptMs }: OutboxPlan, note: Note): void {
  const ends = attempts.filter(({ answer }) => answer === "gone" || answer === "too large");
  for (const [at, attempt] of attempts.entries()) {
    const { n, life } = attempt;
    if (!attempt.isSigned) note("badSignature", `${n} does not verify`);
    const before = attempts.slice(0, at).findLast((one) => one.n === n);
    if (before && attempt.signedAt < Math.floor(before.at / 1_000))
      note("badSignature", `${n} arrived at ${attempt.at}, signed at ${attempt.signedAt}, and at ${before.at} before`);
    const isBusy = typeof before?.answer === "object" && before.answer.status === 503;
    if (isBusy && before.life === life && attempt.at < before.at + RETRY_AFTER_SECONDS * 1_000)
      note("hasty", `${n} at ${attempt.at}; ${told(attempts.filter((one) => one.n === n))}`);
    for (const end of ends) {
      if (end.at >= attempt.at || end === attempt) continue;
      const isSame = end.n === n;
      if (!isSame && end.answer === "too large") continue;
      // Another event may have been under way; and what the server has not noted before it died, it does not know.
      const isExcused =
        end.life === life ? !isSame && attempt.at < end.at + attemptMs : (killedAt[end.life] ?? 0) < end.at + NOTED_MS;
      if (isExcused) continue;
      note("afterEnd", `${n} at ${attempt.at} in life ${life}, after ${end.n} ended at ${end.at} in ${end.life}`);
      break;
    }
  }
}

/** Each event of a subscription has a number of its own, in the order of the events, without gaps. */
function judgeNumbers(channel: Channel, { positions }: Found, note: Note): void {
  const numbers = new Map<number, number>();
  for (const { n, sequence } of channel.attempts) {
    if (numbers.has(n) && numbers.get(n) !== sequence)
      note("misnumbered", `${n} is number ${numbers.get(n)} and ${sequence}`);
    numbers.set(n, sequence);
  }
  const inOrder = [...numbers].sort(([a], [b]) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0));
  const isWhole = channel.given.goneFrom === undefined;
  for (const [at, [n, sequence]] of inOrder.entries()) {
    const before = inOrder[at - 1]?.[1] ?? 0;
    const isNext = isWhole ? sequence === before + 1 : sequence > before;
    if (!isNext) note("misnumbered", `${n} is number ${sequence}, after ${before}`);
  }
}

/** No position is told to a receiver while an event before it has neither arrived nor been given up. */
function judgeCursors(channel: Channel, { positions }: Found, settled: ReadonlyMap<number, number>, note: Note): void {
  for (const { n, cursor, at } of channel.attempts) {
    for (const [other, end] of settled) {
      if (end <= at || (positions.get(other) ?? 0) > cursor) continue;
      note("skipped", `${n} at ${at} told ${cursor}, which is past ${other}, settled at ${end}`);
      break;
    }
  }
}

/** May also be the end of what was acknowledged: if a kill came before that was noted, and it was to be sent again. */
const GONE = "The receiver answered 410 Gone";

/** What a receiver must have done for a reason. */
const MAY_END: Readonly<Record<string, (attempts: readonly Attempt[], channel: Channel) => boolean>> = {
  "All 6 attempts failed": ({ length }) => length >= 6,
  "The receiver answered 413 Content Too Large": (attempts) => attempts.some(({ answer }) => answer === "too large"),
  [GONE]: (_, { attempts }) => attempts.some(({ answer }) => answer === "gone"),
};

function told(attempts: readonly Attempt[]): string {
  const one = ({ at, life, answer }: Attempt) => `${JSON.stringify(answer)} at ${at} in life ${life}`;
  return attempts.map(one).join(", ") || "no attempt";
}
