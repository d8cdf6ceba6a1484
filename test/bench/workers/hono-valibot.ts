/** The second reference: one Hono route and valibot's `safeParse`, as one would write a single tool by hand. */
import { Hono } from "hono";
import * as v from "valibot";

const BODY = v.object({
  request: v.object({ tool_id: v.literal("Sums.Add"), input: v.object({ a: v.number(), b: v.number() }) }),
});

const app = new Hono();
app.get("/health", (c) => c.json({ status: "ok" }));
app.post("/tools/call", async (c) => {
  const read = v.safeParse(BODY, await c.req.json());
  if (!read.success) return c.json({ message: "malformed" }, 400);
  const { a, b } = read.output.request.input;
  const result = { call_id: crypto.randomUUID(), duration: 0, success: true, value: a + b };
  return c.json({ $schema: "urn:oxp:1.0", result }, 200, { "x-content-type-options": "nosniff" });
});

export default app;
