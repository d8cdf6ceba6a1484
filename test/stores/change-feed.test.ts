import { env } from "cloudflare:workers";
import { type Hub, objectChangeFeed } from "../../src/stores/object-change-feed.ts";
import { memoryChangeFeed } from "../support/memory.ts";
import { changeFeedContract } from "./change-feed.contract.ts";

const { HUB } = env as unknown as { HUB: DurableObjectNamespace<Hub> };

/** Objects in a namespace that no other test uses. */
function deployment(): DurableObjectNamespace<Hub> {
  const id = crypto.randomUUID();
  return { getByName: (name: string) => HUB.getByName(`${id} ${name}`) } as unknown as DurableObjectNamespace<Hub>;
}

changeFeedContract("memory", memoryChangeFeed);
changeFeedContract("a Durable Object", () => objectChangeFeed(deployment()));
