/** Takes a shot in a real browser: does its steps, and makes one picture or a film of what could be seen. */
import type { Browser, Locator, Page } from "playwright-core";
import { colorsOf } from "./palette.ts";
import { type Change, png } from "./png.ts";
import type { Shot, Step } from "./shot.ts";
import { STUDIO } from "./studio.ts";

/** How long the pointer moves, in moments, and how long it rests before and after a click. */
const MOVES = 6;
const MOVE_MS = 40;
const REST_MS = 350;
/** Letters that appear at a time, and for how long. */
const LETTERS = 2;
const TYPE_MS = 110;
const LIMIT_MS = 30_000;
/** Settles when what is there now has been painted. */
const PAINTED = "new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** With its pixels in base64. */
interface Cut extends Omit<Change, "pixels" | "ms"> {
  readonly pixels: string;
}

/**
 * @param url the server's
 * @returns a PNG file
 * @throws if a step cannot be done within 30 seconds; the message names it
 */
export async function take(browser: Browser, url: string, shot: Shot): Promise<Buffer> {
  const { width, height, scale = 1, theme } = shot;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  try {
    // A host's page may load a font of the web: the picture is the same without a network.
    await context.route(
      ({ protocol, hostname }) => protocol.startsWith("http") && hostname !== "127.0.0.1",
      (route) => route.abort(),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    const studio = await context.newPage();
    await studio.evaluate(`${STUDIO}; prepare(${width * scale}, ${height * scale}, ${scale})`);
    await page.bringToFront();
    const scene = new Scene(page, studio, shot.kind === "film");
    for (const step of shot.steps) {
      await scene.play(url, step).catch((error) => {
        throw new Error(`${shot.path}: ${JSON.stringify(step)} cannot be done: ${error.message}`, { cause: error });
      });
    }
    return await scene.end();
  } finally {
    await context.close();
  }
}

/** One shot while it is taken. */
class Scene {
  readonly #page: Page;
  /** A page that draws the pointer, and finds what has changed since the moment before. */
  readonly #studio: Page;
  readonly #isFilm: boolean;
  readonly #changes: Change[] = [];
  #pointer: Point | undefined;

  constructor(page: Page, studio: Page, isFilm: boolean) {
    this.#page = page;
    this.#studio = studio;
    this.#isFilm = isFilm;
  }

  async play(url: string, step: Step): Promise<void> {
    const page = this.#page;
    if ("open" in step) {
      await page.goto(new URL(step.open, url).href);
    } else if ("click" in step) {
      const [role, name] = step.click;
      const target =
        role === "summary"
          ? page.locator("summary", { hasText: name }).first()
          : page.getByRole(role, { name, exact: true }).first();
      await this.#moveTo(target);
      await this.#moment(REST_MS);
      await target.click();
      await this.#moment(REST_MS);
    } else if ("into" in step) {
      await this.#type(page.getByLabel(step.into, { exact: true }).first(), step.type);
    } else if ("press" in step) {
      await page.keyboard.press(step.press);
      await this.#moment(REST_MS);
    } else if ("see" in step) {
      await page.getByText(step.see).first().waitFor();
    } else if ("seeInView" in step) {
      // The host's frame is around the view's.
      const view = page.frameLocator("iframe").frameLocator("iframe");
      await view.getByText(step.seeInView).first().waitFor();
      // A frame is painted by a process of its own.
      await view.locator("html").evaluate(PAINTED);
      await page.evaluate(PAINTED);
    } else if ("show" in step) {
      await page.getByText(step.show).first().scrollIntoViewIfNeeded();
    } else {
      await this.#moment(step.hold);
    }
  }

  /** @returns the film, or the picture of the last moment */
  async end(): Promise<Buffer> {
    if (!this.#isFilm) await this.#film(0);
    return png(this.#changes, colorsOf(this.#changes.map(({ pixels }) => pixels)));
  }

  async #type(field: Locator, text: string): Promise<void> {
    await this.#moveTo(field);
    await field.click();
    await field.fill("");
    for (let at = 0; at < text.length; at += LETTERS) {
      await this.#page.keyboard.insertText(text.slice(at, at + LETTERS));
      await this.#moment(TYPE_MS);
    }
  }

  async #moveTo(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (!box) throw new Error("it is not in view");
    // In a wide element, a person points at its words, which are at its left.
    const to = { x: box.x + Math.min(box.width / 2, 60), y: box.y + box.height / 2 };
    const from = this.#pointer ?? { x: to.x + 120, y: to.y + 160 };
    for (let move = 1; move <= MOVES; move++) {
      // Slower at both ends.
      const share = (1 - Math.cos((Math.PI * move) / MOVES)) / 2;
      this.#pointer = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
      await this.#page.mouse.move(this.#pointer.x, this.#pointer.y);
      await this.#moment(MOVE_MS);
    }
  }

  async #moment(ms: number): Promise<void> {
    if (this.#isFilm) await this.#film(ms);
  }

  /** Adds what is there now. If nothing has changed, the moment before lasts longer. */
  async #film(ms: number): Promise<void> {
    const shot = await this.#page.screenshot({ animations: "disabled" });
    const pointer = this.#isFilm ? this.#pointer : undefined;
    const script = `cut("${shot.toString("base64")}", ${JSON.stringify(pointer ?? null)})`;
    const { pixels, ...where } = await this.#studio.evaluate<Cut>(script);
    const last = this.#changes.at(-1);
    if (where.width > 0) this.#changes.push({ ...where, pixels: Buffer.from(pixels, "base64"), ms });
    else if (last) this.#changes[this.#changes.length - 1] = { ...last, ms: last.ms + ms };
  }
}
