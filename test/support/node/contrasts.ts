/** Whether a page can be read: its contrasts, and its width. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Runs in the page. Returns texts whose contrast with their background is below 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const POOR_CONTRASTS = `(() => {
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backOf = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === "rgba(0, 0, 0, 0)" ? backOf(element.parentElement) : backgroundColor;
  };
  return [...document.querySelectorAll("main *")].flatMap((element) => {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) return [];
    const { color } = getComputedStyle(element);
    const [dark, light] = [color, backOf(element)].map(luminance).sort((a, b) => a - b);
    const contrast = (light + 0.05) / (dark + 0.05);
    return contrast < 4.5 ? [element.textContent + ": " + contrast.toFixed(2)] : [];
  });
})()`;

/**
 * Expects that nothing is wider than the window, and that every text can be read. If the variable SCREENSHOTS names a
 * folder, a picture of the page is written there.
 */
export async function expectReadable(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(wide, "nothing is wider than the window").toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  expect(await page.evaluate<string[]>(POOR_CONTRASTS)).toEqual([]);
}
