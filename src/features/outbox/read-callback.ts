/** Reads `{url, token?, secret?}`, the callback of a call or a task. */
import { isRecord } from "../../core/lib/json.ts";
import type { Issue } from "../../core/model/outcome.ts";
import type { Callback } from "../../core/ports/outbox.ts";
import { wrongSecret } from "./signing.ts";
import { wrongTarget } from "./target.ts";

const MIN_SECRET = 32;
const MAX_SECRET = 256;
/** A bearer token (RFC 6750, section 2.1), no longer than common servers accept in a header. */
const TOKEN = /^(?=.{1,4096}$)[\w\-.~+/]+=*$/;

/**
 * @param raw     as it was sent, unchecked
 * @param root    path of its members in issues, such as `callback.`
 * @param allowed hosts that may be in a private network
 */
export function readCallback(
  raw: unknown,
  root: string,
  allowed: readonly string[],
): { readonly callback: Callback } | { readonly issues: readonly Issue[] } {
  const at = (member: string, message: string): Issue => ({ path: root + member, message });
  if (!isRecord(raw)) return { issues: [{ path: root.replace(/\.$/, ""), message: 'Must be an object with a "url"' }] };
  const { url } = raw;
  // Some serializers send absent optional members as null.
  const token = raw.token ?? undefined;
  const secret = raw.secret ?? undefined;
  const issues: Issue[] = [];
  const wrong = typeof url === "string" ? wrongTarget(url, allowed) : "must be a string";
  if (wrong) issues.push(at("url", `The URL ${wrong}`));
  if (token !== undefined && !(typeof token === "string" && TOKEN.test(token)))
    issues.push(at("token", "Must be a bearer token: letters, digits and -._~+/="));
  const isSecret = typeof secret === "string" && secret.length >= MIN_SECRET && secret.length <= MAX_SECRET;
  if (secret !== undefined && !(isSecret && secret.isWellFormed()))
    issues.push(at("secret", `Must be a text of ${MIN_SECRET} to ${MAX_SECRET} characters`));
  else {
    const wrongText = typeof secret === "string" ? wrongSecret(secret) : undefined;
    // Receivers decode such a secret, and would refuse every message.
    if (wrongText) issues.push(at("secret", wrongText));
  }
  if (issues.length > 0) return { issues };
  return { callback: { url, token, secret } as Callback };
}
