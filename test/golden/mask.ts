/**
 * Replaces what differs from run to run: ids, times, tokens, addresses. A mask keeps what a reader wants to compare: equal
 * values of one transcript have equal numbers, and the prefix and the length of each stay visible.
 */

/** Members whose value is a duration or a time in numbers. */
const NUMBERS = /("(?:durationMs|duration|created|expires|expires_at|at|iat|exp)": ?)\d+(?:\.\d+)?/g;
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Cursors of events too: the time of the last event, or a second ago, so whether two are equal depends on the machine. */
const EPOCHS = /(?<![\w.-])1[789]\d{8}(?:\d{3}|\d{6})?(?![\w.-])/g;
/** Their units, by the number of digits. */
const UNITS: Readonly<Record<number, string>> = { 10: "s", 13: "ms", 16: "microseconds" };
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Members that are ids, whatever they look like. */
const IDS =
  /(\\?"(?:id|taskId|task_id|fileId|file_id|requestState|cursor|session|client_id|idempotencyKey)\\?": ?\\?")([\w.~-]{16,})(?=\\?")/g;
/**
 * Where an exception came from, as it stands in JSON. These places are those of the bundle in one folder: they change
 * whenever code moves, and say nothing about the wire.
 */
const FRAMES = /(?:\\n {4}at (?:(?!\\n)[^"])+)+/g;
/** Before the hash of a file or a text, which is the same in each run and stays visible. */
const BEFORE_HASH = /sha256(?::|\\?": ?\\?")$/;
/** Tags of versions, which are those of the build: they change whenever code does, and some by chance look like words. */
const TAGS = /((?:etag|if-none-match): (?:W\/)?")([\w-]{16,})(?=")/g;
/** A code or a token of the sign-in: user, grant and secret, with colons that may be escaped. */
const GRANTS = /([\w-]{16,})(:|%3A)([\w-]{8,})(:|%3A)([\w-]{16,})/g;
/** Words before ids, which stay visible. */
const PREFIX = /^(?:trivet|whsec|evt)_/;
/** Runs of letters that might be random. Whether they are, {@link isRandom} says. */
const RUNS = /[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*={0,2}/g;

export class Mask {
  readonly #numbers = new Map<string, number>();
  readonly #fixed: readonly (readonly [value: string, name: string])[];

  /** @param fixed values that have a name of their own, such as the address of the server */
  constructor(fixed: Readonly<Record<string, string>>) {
    this.#fixed = Object.entries(fixed).map(([name, value]) => [value, name] as const);
  }

  of(text: string): string {
    let masked = text;
    for (const [value, name] of this.#fixed) masked = masked.replaceAll(value, `<${name}>`);
    return masked
      .replace(FRAMES, "\\n    at <places>")
      .replace(NUMBERS, "$1<number>")
      .replace(TIMES, "<time>")
      .replace(EPOCHS, (time) => `<time in ${UNITS[time.length]}>`)
      .replace(TAGS, (_, header, tag) => header + this.#id(tag))
      .replace(UUIDS, (id) => this.#id(id))
      .replace(GRANTS, (_, user, colon, grant, other, secret) =>
        [this.#id(user), colon, this.#id(grant), other, this.#id(secret)].join(""),
      )
      .replace(/\bkey:([0-9a-z]{16})\b/g, (_, id) => `key:${this.#id(id)}`)
      .replace(IDS, (_, member, id) => {
        const [prefix = ""] = PREFIX.exec(id) ?? [];
        return member + prefix + this.#id(id.slice(prefix.length));
      })
      .replace(RUNS, (run, at, whole) => {
        if (BEFORE_HASH.test(whole.slice(Math.max(0, at - 16), at))) return run;
        const [prefix = ""] = PREFIX.exec(run) ?? [];
        const rest = run.slice(prefix.length);
        if (prefix === "" && !isRandom(rest) && !this.#numbers.has(rest)) return run;
        return prefix + this.#id(rest);
      });
  }

  #id(value: string): string {
    const known = this.#numbers.get(value) ?? this.#numbers.size + 1;
    this.#numbers.set(value, known);
    return `<id ${known}, ${value.length} characters>`;
  }
}

/** Whether it looks random: small letters with three digits, or both cases with a digit or with many changes of case. */
function isRandom(text: string): boolean {
  const digits = text.replace(/\D/g, "").length;
  if (!/[A-Z]/.test(text)) return digits >= 3;
  const changes = text.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0;
  return /[a-z]/.test(text) && (digits > 0 || changes > 4);
}
