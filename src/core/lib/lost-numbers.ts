/**
 * Finds numbers in JSON text that JSON.parse changes: whole numbers beyond ±(2^53 − 1), where several become the same
 * (RFC 8259, section 6), and numbers that become infinite. Rounded fractions and exponents are normal in JSON, and are
 * not reported.
 */

/** A number that JSON.parse changed, with the path to it. */
export interface LostNumber {
  readonly path: readonly string[];
  readonly message: string;
}

/** Member of objects and lists that contain lost numbers, and of their shallow copies: see {@link markLostNumbers}. */
export const LOST_NUMBERS = Symbol("numbers that were lost");
export interface MayHaveLost {
  [LOST_NUMBERS]?: readonly LostNumber[];
}
type Container = Record<string, unknown> & MayHaveLost;

/** Matches every text that may have a lost number. Most texts do not match, and are not searched. */
export const MAY_HAVE_LOST = /\d{16}|\d[eE]/;

/** A text may be full of lost numbers. */
const MAX_REPORTED = 100;
const INEXACT = `Is beyond ±${Number.MAX_SAFE_INTEGER}, where whole numbers lose digits: send it as text`;
const INFINITE = "Is too large for a number: send it as text";

/**
 * Marks every object and list of a parsed text that contains lost numbers with these numbers.
 *
 * @param value the result of JSON.parse
 */
export function markLostNumbers(text: string, value: unknown): void {
  // Parse the text again only if it has a number that may have been lost.
  if (!holdsLargeNumber(value)) return;
  let count = 0;
  const lost = new Map<object, Record<string, string>>();
  // The copy has the same parts as the value, so that the two can be walked side by side.
  const copy: unknown = JSON.parse(text, function (this: object, key, number: unknown, ...more: Source[]) {
    const message = typeof number === "number" && count < MAX_REPORTED ? lossOf(number, more[0]?.source) : undefined;
    if (message !== undefined) {
      count++;
      lost.set(this, { ...lost.get(this), [key]: message });
    }
    return number;
  });
  const mark = (part: unknown, copied: unknown, holders: readonly Container[], path: readonly string[]): void => {
    if (typeof copied !== "object" || copied === null) return;
    const within = [...holders, part as Container];
    for (const [key, message] of Object.entries(lost.get(copied) ?? {})) {
      for (const [depth, holder] of within.entries()) {
        holder[LOST_NUMBERS] = [...(holder[LOST_NUMBERS] ?? []), { path: [...path, key].slice(depth), message }];
      }
    }
    for (const [key, member] of Object.entries(copied)) mark((part as Container)[key], member, within, [...path, key]);
  };
  mark(value, copy, [], []);
}

type Source = { readonly source?: string } | undefined;

function lossOf(number: number, source = ""): string | undefined {
  if (Math.abs(number) === Infinity) return INFINITE;
  return /^-?\d+$/.test(source) && !Number.isSafeInteger(number) ? INEXACT : undefined;
}

/**
 * A message about the first lost number outside a call's input. Those in the input are all reported by the check of the
 * input.
 *
 * @param input path of the input in `value`
 */
export function lostNumberOutside(value: object, input: readonly string[]): string | undefined {
  const isOutside = ({ path }: LostNumber) => !input.every((step, at) => path[at] === step);
  const lost = (value as MayHaveLost)[LOST_NUMBERS]?.find(isOutside);
  return lost && `${lost.path.join(".")}: ${lost.message}`;
}

function holdsLargeNumber(value: unknown): boolean {
  if (typeof value === "number") return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return false;
  for (const key in value) if (holdsLargeNumber((value as Container)[key])) return true;
  return false;
}
