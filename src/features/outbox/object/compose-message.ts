/** The sealed contents of events and subscriptions, and the messages that are composed from them. */
import type { Json } from "../../../core/lib/json.ts";
import type { EventOccurrence } from "../../../core/ports/outbox.ts";
import { callMessage } from "../../../protocols/oxp/message.ts";
import { beeosHeaders, keyOfText, standardHeaders } from "../signing.ts";
import type { Post } from "./attempt.ts";
import type { SubscriptionRow } from "./outbox-table.ts";

/** How long a replaced secret signs together with the new one, in milliseconds. */
export const ROTATION_MS = 5 * 60_000;

export interface EventContent {
  readonly data: Readonly<Record<string, Json>>;
  /** The result of a call or task, for callbacks. */
  readonly result?: Json | undefined;
}

export interface SubscriptionContent {
  readonly url: string;
  readonly args?: Readonly<Record<string, Json>> | undefined;
  readonly secret?: string | undefined;
  /** The secret that was replaced, and until when it also signs. */
  readonly earlier?: { readonly secret: string; readonly until: number } | undefined;
  readonly token?: string | undefined;
  /** Id of the call whose callback this is. */
  readonly call?: string | undefined;
}

/** The secrets that sign now, the newest first. */
export function secretsOf({ secret, earlier }: SubscriptionContent, now: number): string[] {
  const isBoth = earlier !== undefined && earlier.until > now;
  return [...(secret === undefined ? [] : [secret]), ...(isBoth ? [earlier.secret] : [])];
}

/**
 * The message about an event, signed as of now.
 *
 * @param event    its `cursor` is the watermark of the subscription, not the event's own position
 * @param sequence which message of the subscription this is, from 1
 */
export async function eventMessage(
  { kind, id }: Pick<SubscriptionRow, "kind" | "id">,
  content: SubscriptionContent,
  event: EventOccurrence & { readonly result?: Json | undefined },
  sequence: number,
): Promise<Post> {
  const isEvents = kind === "events" || kind === "gone";
  const body = isEvents ? bodyOf(event) : callMessage(event, content.call);
  const at = Math.floor(Date.now() / 1_000);
  const signed = { id: event.id, at, body };
  const secrets = secretsOf(content, Date.now());
  const standard = await standardHeaders(signed, secrets.map(keyOfText));
  const own = isEvents ? { "x-mcp-subscription-id": id } : await beeosHeaders(signed, secrets);
  const authorization = content.token === undefined ? undefined : { authorization: `Bearer ${content.token}` };
  return {
    url: content.url,
    body,
    headers: { ...standard, "webhook-sequence": String(sequence), ...own, ...authorization },
  };
}

/** The body of an event's delivery (MCP Events, Delivery profile). */
export function bodyOf({ id, name, occurred, data, cursor }: EventOccurrence): string {
  return JSON.stringify({ eventId: id, name, timestamp: new Date(occurred).toISOString(), data, cursor });
}

/** A message that is not about an event: a challenge. */
export async function controlMessage(
  subscription: string,
  content: SubscriptionContent,
  body: { readonly type: string } & Readonly<Record<string, unknown>>,
): Promise<Post> {
  const id = `msg_${body.type}_${crypto.randomUUID()}`;
  const signed = { id, at: Math.floor(Date.now() / 1_000), body: JSON.stringify(body) };
  const headers = await standardHeaders(signed, secretsOf(content, Date.now()).map(keyOfText));
  return { url: content.url, body: signed.body, headers: { ...headers, "x-mcp-subscription-id": subscription } };
}
