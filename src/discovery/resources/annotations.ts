/** Checks the annotations and the size of a resource, which only its listing shows. */

import { isRecord } from "../../core/lib/json.ts";
import type { ContentAnnotations } from "../../core/model/content.ts";
import type { Wrong } from "./uri.ts";

const ANNOTATIONS = ["audience", "priority", "lastModified"] as const satisfies (keyof ContentAnnotations)[];
/**
 * Date and time with a time zone (RFC 3339). Clients that validate a listing drop all of it because of one wrong date.
 */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

type Definition = Readonly<Record<string, unknown>>;

export function* checkAnnotationsAndSize({
  uri,
  annotations,
  size,
}: Definition): Generator<Wrong & { readonly member: string }> {
  for (const wrong of wrongIn(annotations)) yield { ...wrong, member: "annotations" };
  if (size === undefined) return;
  if (typeof uri === "string" && uri.includes("{")) {
    const problem = "it has a size, but its uri has {variables}: the contents of each URI have their own";
    yield { problem, fix: "remove size", member: "size" };
  } else if (!(Number.isSafeInteger(size) && Number(size) >= 0)) {
    const fix = "write an integer, such as size: 1_024, or leave it out";
    yield { problem: "its size is not a whole number of bytes", fix, member: "size" };
  }
}

function* wrongIn(annotations: unknown): Generator<Wrong> {
  if (annotations === undefined) return;
  if (!isRecord(annotations)) {
    const fix = 'write annotations: { audience: ["user"], priority: 0.8 }, or leave it out';
    return yield { problem: "its annotations are not an object", fix };
  }
  const { audience, priority, lastModified } = annotations;
  for (const name of Object.keys(annotations)) {
    if ((ANNOTATIONS as readonly string[]).includes(name)) continue;
    const problem = `a resource has no annotation "${name}"`;
    yield { problem, fix: `remove it, or write one of ${ANNOTATIONS.join(", ")}` };
  }
  const isAudience = Array.isArray(audience) && audience.every((role) => role === "user" || role === "assistant");
  if (audience !== undefined && !isAudience) {
    const fix = 'write audience: ["user"], audience: ["assistant"] or both';
    yield { problem: 'the audience in its annotations is not a list of "user" and "assistant"', fix };
  }
  if (priority !== undefined && !(typeof priority === "number" && priority >= 0 && priority <= 1)) {
    const fix = "write priority: 1 for what is needed, 0 for what is optional, or leave it out";
    yield { problem: "the priority in its annotations is not a number from 0 to 1", fix };
  }
  if (lastModified === undefined) return;
  if (!(typeof lastModified === "string" && INSTANT.test(lastModified) && !Number.isNaN(Date.parse(lastModified)))) {
    const fix = 'write lastModified: "2026-07-28T09:00:00Z"';
    yield { problem: "the lastModified in its annotations is not a date and time with a time zone", fix };
  }
}
