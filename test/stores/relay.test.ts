import { env } from "cloudflare:workers";
import { type Mailbox, objectRelay } from "../../src/stores/object-relay.ts";
import { memoryRelay } from "../support/memory.ts";
import { relayContract } from "./relay.contract.ts";

const { MAILBOX } = env as unknown as { MAILBOX: DurableObjectNamespace<Mailbox> };

relayContract("memory", () => memoryRelay(100));
relayContract("a Durable Object", () => objectRelay(MAILBOX));
