/** Files that a tool imports as text are text in tests too, and typed: without a type, this file would not compile. */
import { expect, it } from "vitest";
import html from "../fixtures/texts/page.html";
import md from "../fixtures/texts/page.md";
import sql from "../fixtures/texts/page.sql";
import txt from "../fixtures/texts/page.txt";

it.each([
  ["html", html, "<p>hi</p>"],
  ["md", md, "# Hi"],
  ["sql", sql, "SELECT 1;"],
  ["txt", txt, "hi"],
])("%s", (_, text: string, expected) => {
  expect(text.trim()).toBe(expected);
});
