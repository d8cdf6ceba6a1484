/** The Worker as it ships, with a door to the port of its outbox: POST /probe/<method> with the arguments as JSON. */
import worker from "../../../../src/index.ts";
import { runtime } from "../../../../src/runtime.ts";

export * from "../../../../src/index.ts";

type Methods = Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;

export default {
  async fetch(request: Request): Promise<Response> {
    const [, door, method = ""] = new URL(request.url).pathname.split("/");
    if (door !== "probe") return worker.fetch(request);
    const given = (await request.json()) as unknown[];
    const call = (runtime.outbox as unknown as Methods)[method];
    try {
      return Response.json({ result: await call?.(...given) });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
};
