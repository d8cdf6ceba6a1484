/** Divides listings into pages (server/utilities/pagination), with the members that an era adds. */

import { fromBase64Url, toBase64Url } from "../../../core/crypto/encoding.ts";
import { isRecord } from "../../../core/lib/json.ts";
import { sharedBytes } from "../../../http/listing.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";
import { CODE, error } from "../wire/codes.ts";

/** Returns a list's items, made once for each toolkit and view of the catalogue. @param make returns JSON texts */
export function fragments(
  name: string,
  { context: { runtime, toolkit } }: Pick<Exchange, "context">,
  make: () => readonly string[],
): readonly string[] {
  return runtime.catalog.listing(name, toolkit, make);
}

/** @param name of the result's list; @param fragments JSON texts of its items */
export function paginate(
  name: string,
  fragments: readonly string[],
  params: unknown,
  { dialect, context }: Pick<Exchange, "dialect" | "context">,
): MethodReply {
  const { runtime, limits, server } = context;
  const revision = runtime.catalog.revision + runtime.catalog.view;
  const cursor = isRecord(params) ? (params.cursor ?? undefined) : undefined;
  if (cursor === undefined && fragments.length <= limits.pageSize) {
    return runtime.catalog.listing(`mcp-${name}-${dialect.era}`, context.toolkit, () => {
      const resultText = `{"${name}":[${fragments.join(",")}]${dialect.listingEnd(server)}}`;
      return { resultText, closedBytes: sharedBytes(`${resultText}}`) };
    });
  }
  const start = cursor === undefined ? 0 : readCursor(cursor, revision);
  // "Invalid cursors SHOULD result in an error with code -32602 (Invalid params)."
  if (start === undefined)
    return error(CODE.invalidParams, "The cursor is invalid or has expired; list again without it");
  const end = start + limits.pageSize;
  const next = end < fragments.length ? `,"nextCursor":${JSON.stringify(writeCursor(end, revision))}` : "";
  const items = fragments.slice(start, end);
  return { resultText: `{"${name}":[${items.join(",")}]${next}${dialect.listingEnd(server)}}` };
}

/**
 * The same exchange, but with pages that are cached separately from those of other listings.
 *
 * @param as must come from the catalogue, not from a client, because each value is cached forever
 */
export function keptApart({ dialect, context }: Exchange, as: string): Pick<Exchange, "dialect" | "context"> {
  return { context, dialect: { ...dialect, era: `${dialect.era}-${as}` } };
}

function writeCursor(offset: number, revision: string): string {
  return toBase64Url(new TextEncoder().encode(`${revision}:${offset}`));
}

/** A cursor is valid for only one version of the catalogue. After a change, clients have to list from the beginning. */
function readCursor(cursor: unknown, revision: string): number | undefined {
  const raw = typeof cursor === "string" ? fromBase64Url(cursor) : undefined;
  const [, of, offset] = raw ? (/^([0-9a-f-]+):(\d+)$/.exec(new TextDecoder().decode(raw)) ?? []) : [];
  return of === revision ? Number(offset) : undefined;
}
