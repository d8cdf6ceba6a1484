/** JSON as a value: what can be carried, how deep, and one spelling per value. Parses and prints nothing. */

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** Nesting that input may have. Recursive code (validators, hashing) stays far from the end of the stack. */
export const MAX_INPUT_DEPTH = 64;

/** Nesting that a tool's output may have; a cycle is found by running into it. */
const MAX_OUTPUT_DEPTH = 256;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether `value`, fresh from JSON.parse, nests deeper than `limit` levels. Recurses no further than that. */
export function nestsDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  // Of what JSON.parse makes, no member is inherited.
  for (const key in value) {
    if (nestsDeeperThan((value as Record<string, unknown>)[key], limit - 1)) return true;
  }
  return false;
}

/** Whether `value`, fresh from JSON.parse, holds a number that was too large for it: 1e400 is read as Infinity. */
export function holdsInfinity(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === Infinity || value === -Infinity;
  for (const key in value) {
    if (holdsInfinity((value as Record<string, unknown>)[key])) return true;
  }
  return false;
}

/** Whether `value`, fresh from JSON.parse, holds more than `limit` values at all its levels. Looks at no more than that. */
export function holdsMoreThan(value: unknown, limit: number): boolean {
  return roomAfter(value, limit) < 0;
}

/** How many values may still come after those that `value` holds; less than 0 if these were too many. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value !== "object" || value === null) return room;
  let left = room;
  for (const key in value) {
    left = roomAfter((value as Record<string, unknown>)[key], left - 1);
    if (left < 0) break;
  }
  return left;
}

/** Thrown by {@link toJson}; `path` leads to what JSON cannot carry. */
export class NotJson extends Error {
  readonly path: string;
  constructor(path: string, what: string) {
    super(`${path === "" ? "The value" : path} is ${what}, which JSON cannot carry`);
    this.path = path;
  }
}

/**
 * The JSON that `value` stands for, also where a member says so through `toJSON` (a Date). A copy for which each member
 * was read once: what was checked is what is printed, whatever a getter or a proxy would say the next time. Members that
 * are undefined are left to the printer, which drops them.
 *
 * @param dropped takes the paths of such members
 * @throws {NotJson} for NaN, Infinity, bigint, functions, symbols, binary data, cycles, and objects that would be printed
 *                   as `{}` whatever they hold: Maps, errors, responses
 */
export function toJson(value: unknown, path = "", depth = 0, dropped?: string[]): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw new NotJson(path, String(value));
    case "object":
      break;
    default:
      throw new NotJson(path, `of type ${typeof value}`);
  }
  if (value === null) return null;
  if (depth > MAX_OUTPUT_DEPTH) throw new NotJson("", `a cycle, or nested over ${MAX_OUTPUT_DEPTH} levels deep`);
  if ("toJSON" in value && typeof value.toJSON === "function") return toJson(value.toJSON(), path, depth + 1, dropped);
  if (Array.isArray(value)) return arrayToJson(value, path, depth, dropped);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return recordToJson(value as Members, path, depth, dropped);
  return instanceToJson(value, path, depth, dropped);
}

/** Of a class: the platform's, or the tool's own. */
function instanceToJson(value: object, path: string, depth: number, dropped?: string[]): Json {
  // The printer unboxes these: what comes out must be looked at here.
  if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) {
    return toJson(value.valueOf(), path, depth + 1);
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) throw new NotJson(path, "binary data");
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  // The platform's objects call themselves something, and keep what they hold where the printer does not look.
  if (value instanceof Error || (kind !== "Object" && Object.keys(value).length === 0)) {
    throw new NotJson(path, `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`);
  }
  return recordToJson(value as Members, path, depth, dropped);
}

type Members = Record<string, unknown>;

function arrayToJson(items: unknown[], path: string, depth: number, dropped?: string[]): Json[] {
  const { length } = items;
  const copy: Json[] = [];
  for (let i = 0; i < length; i++) {
    copy.push(toJson(items[i], path === "" ? String(i) : `${path}.${i}`, depth + 1, dropped));
  }
  return copy;
}

function recordToJson(record: Members, path: string, depth: number, dropped?: string[]): { [member: string]: Json } {
  // Spread defines an own `__proto__` as a plain member, so the assignment below cannot reach the prototype.
  const copy: Members = { ...record };
  for (const key of Object.keys(copy)) {
    const value = copy[key];
    const here = path === "" ? key : `${path}.${key}`;
    if (value === undefined) dropped?.push(here);
    else copy[key] = toJson(value, here, depth + 1, dropped);
  }
  return copy as { [member: string]: Json };
}

/** One text per JSON value, whatever the order of its members: what a fingerprint is taken of. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  // 1e999 is a number that JSON can say and cannot print.
  if (!isRecord(value)) return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "null");
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}
