/** The bucket of files, for the Durable Objects that delete from it. */
import { env } from "cloudflare:workers";

export const FILES = (env as unknown as { readonly FILES?: R2Bucket }).FILES;
