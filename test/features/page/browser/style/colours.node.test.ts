/** The colours of the page are readable, and those of the protocols differ, for every eye and in both themes. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { STYLE } from "../../../../../src/http/pages/style.ts";

type Rgb = readonly [number, number, number];

const css = readFileSync(
  new URL("../../../../../src/features/page/browser/style/colours.css", import.meta.url),
  "utf8",
);
/** The same text with the colours of one theme each. */
const [LIGHT = "", DARK = ""] = ["$1", "$2"].map((one) => css.replace(/light-dark\((#\w+), (#\w+)\)/g, one));

/**
 * How people see who lack one kind of cone, as matrices of linear light (Machado, Oliveira and Fernandes, "A
 * Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.0).
 */
const EYES = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  "no red": [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  "no green": [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  "no blue": [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

describe.each([
  ["light", LIGHT],
  ["dark", DARK],
])("the %s colours", (_theme, block) => {
  const light = (name: string) => linear(colorOf(block, name));

  it.each(["text", "quiet", "accent", "bad", "good", "warn", "oxp", "mcp", "opentool"])(
    "--%s is readable as text (WCAG 2.2, 1.4.3)",
    (name) => {
      const poor = ["back", "panel", "code-back"].filter((back) => contrast(light(name), light(back)) < 4.5);
      expect(poor).toEqual([]);
    },
  );

  it("text is readable on what has the colour of a button or of a protocol", () => {
    const poor = ["accent", "oxp", "mcp", "opentool"].filter((on) => contrast(light("on-accent"), light(on)) < 4.5);
    expect(poor).toEqual([]);
  });

  it("--line shows where a control is (WCAG 2.2, 1.4.11)", () => {
    const poor = ["back", "panel", "code-back"].filter((back) => contrast(light("line"), light(back)) < 3);
    expect(poor).toEqual([]);
  });

  it.each(Object.entries(EYES))("the protocols differ for eyes with: %s", (_eyes, matrix) => {
    const [oxp, mcp, opentool] = ["oxp", "mcp", "opentool"].map((name) => lab(seen(light(name), matrix)));
    const distances = [distance(oxp, mcp), distance(mcp, opentool), distance(oxp, opentool)];
    // A difference of 2 is just noticeable side by side; 20 is plain in small signs that are far apart.
    expect(Math.min(...distances)).toBeGreaterThan(20);
  });
});

it("the pages of sign-in and of files have the same colours", () => {
  const [light = "", dark = ""] = STYLE.split(/@media|\*\{/);
  const others = [light, dark].map((block, at) =>
    [...block.matchAll(/--([a-z-]+):(#[0-9a-f]+)/g)].filter(([, name = "", value]) => {
      return colorOf([LIGHT, DARK][at] ?? "", name) !== value;
    }),
  );
  expect(others).toEqual([[], []]);
  expect(light).toContain("--accent:");
  expect(dark).toContain("--accent:");
});

function colorOf(block: string, name: string): string {
  const value = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1];
  if (value === undefined) throw new Error(`colours.css has no --${name} in: ${block}`);
  return value;
}

/** @param color `#rrggbb` @returns its linear light, each part from 0 to 1 */
function linear(color: string): Rgb {
  return [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
}

function contrast(one: Rgb, other: Rgb): number {
  const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function seen([r, g, b]: Rgb, matrix: readonly number[]): Rgb {
  const row = (at: number) => {
    const [of_r = 0, of_g = 0, of_b = 0] = matrix.slice(at, at + 3);
    return Math.min(1, Math.max(0, of_r * r + of_g * g + of_b * b));
  };
  return [row(0), row(3), row(6)];
}

/** CIE 1976 L*a*b*, in which distances are about as large as they look. */
function lab([r, g, b]: Rgb): Rgb {
  const root = (share: number) => (share > 216 / 24389 ? Math.cbrt(share) : ((24389 / 27) * share + 16) / 116);
  const x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = root(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(one: Rgb = [0, 0, 0], other: Rgb = [0, 0, 0]): number {
  return Math.hypot(...one.map((part, at) => part - (other[at] ?? 0)));
}
