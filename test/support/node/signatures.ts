/** Whether a delivery is signed, as others check it: with the library `standardwebhooks`, and by the rule in docs/webhooks.md. */
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Received } from "./receiver.ts";

/** @param secret `whsec_…`, or the text of a callback's */
export function isStandard({ headers, body }: Received, secret: string): boolean {
  const format = secret.startsWith("whsec_") ? {} : ({ format: "raw" } as const);
  try {
    new Webhook(secret, format).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** The rule of `X-BeeOS-Signature`, written from docs/webhooks.md alone. */
export function isOfDocument({ headers, body, at }: Received, secret: string): boolean {
  const members = String(headers["x-beeos-signature"])
    .split(",")
    .map((member) => member.split("="));
  const time = members.find(([name]) => name === "t")?.[1] ?? "";
  const hex = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const isRecent = Math.abs(at / 1_000 - Number(time)) <= 300;
  return isRecent && members.some(([name, value]) => name === "v1" && value === hex);
}
