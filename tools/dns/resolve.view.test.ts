import { expect, it } from "vitest";
import { callTool, readView } from "#test";

it("offers types that the tool looks up, and the tool's default first", async () => {
  const { value } = await readView("DNS.Resolve");
  // The list TYPES: minified, it has another name.
  const offered = JSON.parse(value.html.match(/=\s*(\["A",.*?\])/s)?.[1] ?? "[]") as string[];
  const input = { name: "example.com" };
  const asked = async (type?: string) => {
    const { requests } = await callTool(
      "DNS.Resolve",
      { ...input, ...(type && { type }) },
      { fetch: () => ({ Status: 0 }) },
    );
    return new URL(requests[0]?.url ?? "").searchParams.get("type");
  };
  expect(offered.length).toBeGreaterThan(1);
  expect(offered[0]).toBe(await asked());
  expect(await Promise.all(offered.map(asked))).toEqual(offered);
});
