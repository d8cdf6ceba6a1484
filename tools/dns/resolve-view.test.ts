import { expect, it } from "vitest";
import { callTool } from "#test";
import view from "./resolve.view.html?raw";

const offered = JSON.parse(view.match(/const TYPES = (\[.*\]);/)?.[1] ?? "[]") as string[];

it("offers types that the tool looks up, and the tool's default first", async () => {
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
