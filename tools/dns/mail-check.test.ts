import { expect, it } from "vitest";
import { callTool, readResource } from "#test";

async function textOf(uri: "skill://mail-check/SKILL.md" | "skill://mail-check/references/records.md") {
  const { value } = await readResource(uri);
  return String((value as readonly { text?: string }[])[0]?.text);
}

it("is a skill: its name, and when to use it", async () => {
  expect(await textOf("skill://mail-check/SKILL.md")).toMatch(/^---\nname: mail-check\ndescription: .*Use it when/);
});

it("links only to files that it has", async () => {
  const links = (await textOf("skill://mail-check/SKILL.md")).matchAll(/\]\((.*?)\)/g);
  expect([...new Set(Array.from(links, ([, path]) => path))]).toEqual(["references/records.md"]);
  expect(await textOf("skill://mail-check/references/records.md")).toContain("# How to read the records");
});

it("tells the model to ask only what the tool can answer", async () => {
  const text = await textOf("skill://mail-check/SKILL.md");
  expect(text).toContain("`DNS_Resolve`");
  const asked = Array.from(text.matchAll(/^\| `(\S*example\.com)` \| ([A-Z]+) \|/gm), ([, name, type]) => ({
    name,
    type,
  }));
  expect(asked).toHaveLength(3);
  for (const { name, type } of asked) {
    const { error } = await callTool("DNS.Resolve", { name, type } as never, { fetch: () => ({ Status: 3 }) });
    expect(error, `${name} ${type}`).toBeUndefined();
  }
});
