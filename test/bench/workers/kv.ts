/** In-memory KV for workerd: the requests that a `kvNamespace` binding makes. Nothing expires: runs are too short. */
/** The initial entries, defined when the module is bundled. */
declare const KEPT: Record<string, string>;

const values = new Map<string, ArrayBuffer | string>(Object.entries(KEPT));

export default {
  async fetch(request: Request): Promise<Response> {
    const key = decodeURIComponent(new URL(request.url).pathname.slice(1));
    switch (request.method) {
      case "PUT":
        values.set(key, await request.arrayBuffer());
        return new Response(null);
      case "DELETE":
        values.delete(key);
        return new Response(null);
      default: {
        const value = values.get(key);
        return value === undefined ? new Response(null, { status: 404 }) : new Response(value);
      }
    }
  },
};
