/** Draws a histogram: how many numbers are in which range. */
import { drawable, hasDot, LETTER_HEIGHT, LETTER_WIDTH } from "./_font.ts";
import type { Picture } from "./_png.ts";

const WIDTH = 720;
const HEIGHT = 400;
/** Of the area in which the bars stand. */
const LEFT = 72;
const RIGHT = WIDTH - 32;
const TOP = 108;
const BOTTOM = HEIGHT - 56;

const COLOURS = ["#ffffff", "#1f2328", "#656d76", "#e4e8ec", "#2f81f7", "#d1690e"];
const [PAPER, INK, GREY, LINE, BAR, MARK] = [0, 1, 2, 3, 4, 5];

/** About as many bars as there is room for. */
const BARS = 14;
/** The smallest width of a bar, in units of the numbers: powers of ten near the smallest number are no longer exact. */
const SMALLEST = 1e-100;

export interface Histogram {
  readonly title: string;
  readonly subtitle: string;
  /** At least one, in ascending order. */
  readonly numbers: readonly number[];
  /** Marked with a line. */
  readonly median: number;
}

/** A range of numbers: from `start` to below `start + width`. */
export interface Bin {
  readonly start: number;
  readonly count: number;
}

export function histogram({ title, subtitle, numbers, median }: Histogram): Picture {
  const { bins, width: binWidth } = binsOf(numbers);
  const canvas = new Canvas();
  canvas.text(shortened(title, 37), 24, 20, { scale: 3 });
  canvas.text(shortened(subtitle, 56), 24, 56, { scale: 2, colour: GREY });

  const step = niceStep(Math.max(...bins.map(({ count }) => count)) / 4, 1);
  const top = Math.ceil(Math.max(...bins.map(({ count }) => count)) / step) * step;
  const yOf = (count: number) => Math.round(BOTTOM - (count / top) * (BOTTOM - TOP));
  for (let count = 0; count <= top; count += step) {
    canvas.fill(LEFT, yOf(count), RIGHT, yOf(count) + 1, LINE);
    canvas.text(short(count), LEFT - 10, yOf(count) - 7, { scale: 2, colour: GREY, align: "right" });
  }

  const first = bins[0]?.start ?? 0;
  const barWidth = (RIGHT - LEFT) / bins.length;
  const xOf = (number: number) => Math.round(LEFT + ((number - first) / binWidth) * barWidth);
  for (const { start, count } of bins) {
    canvas.fill(xOf(start) + 2, yOf(count), xOf(start + binWidth) - 1, BOTTOM, BAR);
  }
  canvas.fill(LEFT, BOTTOM, RIGHT, BOTTOM + 2, INK);

  const starts = bins.map(({ start }) => start).concat(first + bins.length * binWidth);
  const digits = digitsFor(Math.max(-first, starts.at(-1) ?? 0), binWidth);
  const labels = starts.map((start) => short(start, digits));
  const room = Math.max(...labels.map((label) => label.length)) * 12 + 24;
  const every = Math.ceil(room / barWidth);
  for (const [index, start] of starts.entries()) {
    if (index % every !== 0) continue;
    canvas.fill(xOf(start), BOTTOM, xOf(start) + 2, BOTTOM + 7, INK);
    canvas.text(labels[index] ?? "", xOf(start) + 1, BOTTOM + 14, { scale: 2, align: "center" });
  }

  const middle = xOf(median);
  canvas.fill(middle, TOP - 24, middle + 2, BOTTOM, MARK);
  const isRight = middle > (LEFT + RIGHT) / 2;
  canvas.text("median", middle + (isRight ? -6 : 8), TOP - 26, {
    scale: 1,
    colour: MARK,
    align: isRight ? "right" : "left",
  });

  // Above the bars, and above the mark.
  for (const { start, count } of bins) {
    const width = short(count).length * 6;
    const centre = (xOf(start) + xOf(start + binWidth)) / 2;
    if (count === 0 || barWidth < width) continue;
    canvas.fill(Math.round(centre - width / 2) - 1, yOf(count) - 13, Math.round(centre + width / 2), yOf(count), PAPER);
    canvas.text(short(count), centre, yOf(count) - 11, { scale: 1, colour: GREY, align: "center" });
  }
  return { width: WIDTH, height: HEIGHT, pixels: canvas.pixels, colours: COLOURS };
}

/** Divides numbers into ranges that begin at round numbers: at least three, so that equal numbers have a bar, too. */
export function binsOf(numbers: readonly number[]): { readonly bins: readonly Bin[]; readonly width: number } {
  const [min = 0, max = 0] = [numbers[0], numbers.at(-1)];
  // A bar between two whole numbers would always be empty.
  const least = numbers.every(Number.isInteger) ? 1 : 0;
  const size = Math.max(-min, max);
  // Numbers that differ in their last digits only are drawn as equal.
  const range = max - min > size * 1e-9 ? max - min : size;
  const width = niceStep(range / BARS, least);
  // 0.3 / 0.1 is a little less than 3.
  const placeOf = (number: number) => Math.floor(number / width + 1e-9);
  const margin = placeOf(max) - placeOf(min) < 2 ? 1 : 0;
  const first = placeOf(min) - margin;
  const counts: number[] = new Array(placeOf(max) + margin - first + 1).fill(0);
  for (const number of numbers) counts[placeOf(number) - first] = (counts[placeOf(number) - first] ?? 0) + 1;
  return { width, bins: counts.map((count, index) => ({ start: (first + index) * width, count })) };
}

/** The smallest of …, 0.1, 0.2, 0.5, 1, 2, 5, 10, … that is at least both of these. */
function niceStep(exact: number, least: number): number {
  const wanted = Math.max(exact, least, SMALLEST);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return ([1, 2, 5].find((factor) => factor * power >= wanted) ?? 10) * power;
}

/** A number in few letters, rounded to so many digits: 1.5, 12k, 3.4M, 1e+12. */
export function short(number: number, digits = 4): string {
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return number.toExponential(digits - 1).replace(/\.?0*e/, "e");
  const [value, unit] = size >= 1e6 ? [number / 1e6, "M"] : size >= 1e4 ? [number / 1e3, "k"] : [number, ""];
  return `${Number(value.toPrecision(digits))}${unit}`;
}

/** How many digits it takes to tell numbers of this size apart that differ by `width`. */
const digitsFor = (size: number, width: number) => Math.max(4, Math.ceil(Math.log10(size / width)) + 1);

const shortened = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 3).trimEnd()}...` : text;

interface Look {
  /** Pixels to a dot. */
  readonly scale: number;
  readonly colour?: number;
  /** Of the text to its `x`. */
  readonly align?: "left" | "center" | "right";
}

class Canvas {
  readonly pixels = new Uint8Array(WIDTH * HEIGHT).fill(PAPER as number);

  fill(left: number, top: number, right: number, bottom: number, colour = INK): void {
    const from = Math.max(0, left);
    for (let y = Math.max(0, top); y < Math.min(HEIGHT, bottom); y++) {
      this.pixels.fill(colour as number, y * WIDTH + from, y * WIDTH + Math.min(WIDTH, Math.max(from, right)));
    }
  }

  text(text: string, x: number, y: number, { scale, colour = INK as number, align = "left" }: Look): void {
    const letters = drawable(text);
    const advance = (LETTER_WIDTH + 1) * scale;
    const width = letters.length * advance - scale;
    const left = Math.min(
      WIDTH - width,
      Math.round(x - (align === "left" ? 0 : align === "right" ? width : width / 2)),
    );
    for (const [index, letter] of Array.from(letters).entries()) {
      for (let dot = 0; dot < LETTER_WIDTH * LETTER_HEIGHT; dot++) {
        const [column, row] = [dot % LETTER_WIDTH, Math.floor(dot / LETTER_WIDTH)];
        if (!hasDot(letter, column, row)) continue;
        const [dotX, dotY] = [left + index * advance + column * scale, y + row * scale];
        this.fill(dotX, dotY, dotX + scale, dotY + scale, colour);
      }
    }
  }
}
