/** A deployment without skills neither announces the extension nor has its methods. */
import { expect, it } from "vitest";
import { modern } from "../../support/modern-client.ts";

it("does not announce the extension", async () => {
  const { body } = await modern("server/discover");
  expect(JSON.stringify(body)).toContain('"capabilities"');
  expect(JSON.stringify(body)).not.toContain("modelcontextprotocol/skills");
});

it.each(["skills/list", "skills/get", "resources/directory/read"])("does not have %s", async (method) => {
  const { status, body } = await modern(method, { uri: "skill://kit/SKILL.md" });
  expect(status).toBe(404);
  expect(body).toMatchObject({ error: { code: -32601 } });
});
