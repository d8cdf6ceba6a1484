/** Answers as the resolver of the sample DNS does, so that pictures are the same whatever the real one says. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An alias, and the addresses that it leads to: names and addresses that are reserved for documentation. */
const ANSWER = {
  Status: 0,
  AD: true,
  Answer: [
    { name: "www.example.com.", type: 5, TTL: 86_400, data: "edge.example.net." },
    { name: "edge.example.net.", type: 1, TTL: 300, data: "192.0.2.14" },
    { name: "edge.example.net.", type: 1, TTL: 300, data: "198.51.100.27" },
  ],
};

export interface Resolver {
  /** The address in the tool's file that is replaced by this resolver's. */
  readonly replaces: string;
  /** `127.0.0.1:8053` */
  readonly host: string;
  stop(): void;
}

export async function startResolver(): Promise<Resolver> {
  const server = createServer((_, response) => response.end(JSON.stringify(ANSWER)));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    replaces: "https://cloudflare-dns.com",
    host: `127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
