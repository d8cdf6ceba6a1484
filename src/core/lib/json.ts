/** JSON values: conversion from any value, limits on depth and size, canonical text. */

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** Deepest nesting of an input, so that recursive code (validators, hashing) cannot overflow the stack. */
export const MAX_INPUT_DEPTH = 64;

/** Deepest nesting of a tool's output. Cycles are detected by reaching it. */
const MAX_OUTPUT_DEPTH = 256;

/** Whether a value is an object, and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the result of JSON.parse nests deeper than `limit` levels. Recurses no deeper than that. */
export function nestsDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  // JSON.parse creates no objects with inherited enumerable members, so `for…in` needs no own-key check.
  for (const key in value) {
    if (nestsDeeperThan((value as Record<string, unknown>)[key], limit - 1)) return true;
  }
  return false;
}

/**
 * How many objects and lists the result of JSON.parse has. Stops counting above `limit`. An object with whole numbers as
 * keys counts as one more for each {@link PLACES} places that a copy of it takes.
 */
export function countContainers(value: unknown, limit: number): number {
  return limit - roomAfter([value], limit, weightOf);
}

/** Places of 4 bytes that count as one object: together the 50 bytes of body.ts. */
const PLACES = 12;
/** V8's limits for an object that it copies member by member: beyond them, it takes no place for each number. */
const MAX_GAP = 1_024;
const MAX_PLACES = 5_000;

function weightOf(value: unknown): number {
  if (!isContainer(value)) return 0;
  return Array.isArray(value) ? 1 : 1 + Math.floor(placesOf(value) / PLACES);
}

/** How many places V8 takes for the whole numbers among the keys of a copy: `{"900": 1}` gets 1,367. */
function placesOf(value: object): number {
  let places = 0;
  // Keys that are whole numbers come first, in their order.
  for (const key in value) {
    if (!/^\d{1,4}$/.test(key)) break;
    const at = Number(key);
    if (at < places) continue;
    const grown = at + 1 + Math.floor((at + 1) / 2) + 16;
    if (at - places >= MAX_GAP || grown > MAX_PLACES) break;
    places = grown;
  }
  return places;
}

/** Whether the result of JSON.parse contains more than `limit` values on all levels together. Stops counting there. */
export function holdsMoreThan(value: unknown, limit: number): boolean {
  return roomAfter(value, limit, () => 1) < 0;
}

/** `room` less what the values in `value` count for; negative if that is too much. */
function roomAfter(value: unknown, room: number, countOf: (member: unknown) => number): number {
  if (!isContainer(value)) return room;
  let left = room;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    left = roomAfter(member, left - countOf(member), countOf);
    if (left < 0) break;
  }
  return left;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Thrown by {@link toJson}; `path` leads to the value that JSON cannot represent. */
export class NotJson extends Error {
  readonly path: string;
  constructor(path: string, what: string) {
    super(`${path === "" ? "The value" : path} is ${what}, which JSON cannot represent`);
    this.path = path;
  }
}

/**
 * Converts a value to JSON, calling `toJSON` methods (of a Date, for example). Reads each member only once and returns
 * a copy, so that the value that was checked is the one that is serialized, even if a getter or proxy returns another
 * one next time. Undefined members are kept; JSON.stringify drops them.
 *
 * @param dropped collects the paths of undefined members
 * @throws {NotJson} for NaN, Infinity, bigint, functions, symbols, binary data, cycles, and objects that JSON.stringify
 *                   would turn into `{}` whatever they contain: Maps, errors, responses
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

/** Converts an instance of a class, which may be the platform's or the tool's own. */
function instanceToJson(value: object, path: string, depth: number, dropped?: string[]): Json {
  // JSON.stringify unboxes these, so check the unboxed value.
  if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) {
    return toJson(value.valueOf(), path, depth + 1);
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) throw new NotJson(path, "binary data");
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  // The platform's objects have a toStringTag, and keep their contents where JSON.stringify does not see them.
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

/** The largest index. An object that begins with it has no place for each number up to its largest key. */
const FAR = 4_294_967_294;

/**
 * Spread defines an own `__proto__` as a plain member, which an assignment would not. In Node, 80,000 copies of
 * `{"900": 1}` take 16 MB by way of {@link FAR}, and 881 MB without.
 */
function copyOf(record: Members): Members {
  // Keys that are whole numbers come first.
  for (const key in record) {
    if (!/^\d/.test(key) || Object.hasOwn(record, FAR)) break;
    const copy: Members = { [FAR]: undefined, ...record };
    delete copy[FAR];
    return copy;
  }
  return { ...record };
}

function recordToJson(record: Members, path: string, depth: number, dropped?: string[]): { [member: string]: Json } {
  // It has `__proto__` as a plain member, so the assignment below cannot reach the prototype.
  const copy = copyOf(record);
  for (const key of Object.keys(copy)) {
    const value = copy[key];
    const here = path === "" ? key : `${path}.${key}`;
    if (value === undefined) dropped?.push(here);
    else copy[key] = toJson(value, here, depth + 1, dropped);
  }
  return copy as { [member: string]: Json };
}

/** Canonical JSON text, the same for every order of members, to be hashed. Undefined and functions become `null`. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  // JSON.parse reads 1e999 as Infinity, which JSON.stringify writes as null.
  if (!isRecord(value)) return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "null");
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}
