/** The Worker as its own OAuth server, with which users sign in. */
import type { Feature } from "../feature.ts";
import { createSignIn } from "./server.ts";

export const feature: Feature = { createSignIn };
