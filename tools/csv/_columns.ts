/** Statistics of a column, from one look at each of its cells. What it keeps does not grow with the file. */

/** Values of which a column counts how often they occur. */
const MAX_VALUES = 1_000;
/** Letters of all values that are counted, in all columns. */
const MAX_LETTERS = 4_000_000;
/** Numbers that are kept for the median and the picture. Of more, it is a sample. */
export const SAMPLE = 10_000;
const MOST_FREQUENT = 5;
/** Sums of squares of larger numbers may overflow. */
const LARGEST = 1e100;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What the columns of one file share. */
export interface Shared {
  /** How many letters may still be kept. */
  room: number;
  /** Whether 1,5 is a number, as it is if commas do not separate cells. */
  readonly decimalComma: boolean;
}

export const shared = (separator: string): Shared => ({ room: MAX_LETTERS, decimalComma: separator !== "," });

export class Column {
  readonly name: string;
  readonly #shared: Shared;
  readonly #counts = new Map<string, number>();
  #hasMore = false;
  #empty = 0;
  #filled = 0;
  #numbers = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #mean = 0;
  /** Sum of squared distances from the mean. */
  #squares = 0;
  readonly #sample: number[] = [];
  #seed = 1;

  constructor(name: string, shared: Shared) {
    this.name = name;
    this.#shared = shared;
  }

  add(cell: string): void {
    const value = cell.trim();
    if (value === "") {
      this.#empty++;
      return;
    }
    this.#filled++;
    this.#count(value);
    const number = numberIn(value, this.#shared.decimalComma);
    if (number !== undefined) this.#measure(number);
  }

  #count(value: string): void {
    const known = this.#counts.get(value);
    if (known !== undefined) this.#counts.set(value, known + 1);
    else if (this.#counts.size < MAX_VALUES && value.length <= this.#shared.room) {
      this.#shared.room -= value.length;
      // A copy. A part of a text keeps all of that text in memory, and this text is a piece of the file.
      this.#counts.set(` ${value}`.slice(1), 1);
    } else this.#hasMore = true;
  }

  /** Welford's method: it needs no second look, and loses no digits if numbers are large and close together. */
  #measure(number: number): void {
    this.#numbers++;
    this.#min = Math.min(this.#min, number);
    this.#max = Math.max(this.#max, number);
    const distance = number - this.#mean;
    this.#mean += distance / this.#numbers;
    this.#squares += distance * (number - this.#mean);
    // Reservoir sampling: each number has the same chance to be among those that are kept.
    const place = this.#numbers <= SAMPLE ? this.#numbers - 1 : this.#random(this.#numbers);
    if (place < SAMPLE) this.#sample[place] = number;
  }

  /** From 0 to below `end`, the same for the same file each time (xorshift32). */
  #random(end: number): number {
    this.#seed ^= this.#seed << 13;
    this.#seed ^= this.#seed >>> 17;
    this.#seed ^= this.#seed << 5;
    return Math.floor(((this.#seed >>> 0) / 2 ** 32) * end);
  }

  /** Whether at least nine of ten cells are numbers: real files have an "n/a" here and there. */
  get isNumeric(): boolean {
    return this.#numbers > 0 && this.#numbers >= 0.9 * this.#filled;
  }

  /** In ascending order. */
  get sample(): readonly number[] {
    return this.#sample.toSorted((a, b) => a - b);
  }

  get statistics() {
    return {
      name: this.name,
      type: this.#filled === 0 ? ("empty" as const) : this.isNumeric ? ("number" as const) : ("text" as const),
      empty: this.#empty,
      distinct: this.#counts.size,
      ...(this.#hasMore && { more_distinct: true }),
      ...(this.isNumeric && { numbers: this.numbers }),
      ...(!this.isNumeric && { most_frequent: this.#mostFrequent }),
    };
  }

  get numbers() {
    const { sample } = this;
    const middle = sample.length / 2;
    return {
      count: this.#numbers,
      min: this.#min,
      max: this.#max,
      mean: this.#mean,
      median: ((sample[Math.ceil(middle) - 1] ?? 0) + (sample[Math.floor(middle)] ?? 0)) / 2,
      standard_deviation: Math.sqrt(this.#squares / Math.max(1, this.#numbers - 1)),
      ...(this.#numbers > SAMPLE && { median_of_sample: SAMPLE }),
      ...(this.#numbers < this.#filled && { not_numbers: this.#filled - this.#numbers }),
    };
  }

  get #mostFrequent() {
    const counts = [...this.#counts].toSorted(([, a], [, b]) => b - a).slice(0, MOST_FREQUENT);
    return counts.map(([value, count]) => ({ value: value.length > 100 ? `${value.slice(0, 99)}…` : value, count }));
  }
}

function numberIn(value: string, decimalComma: boolean): number | undefined {
  const text = decimalComma ? value.replace(",", ".") : value;
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Math.abs(number) <= LARGEST ? number : undefined;
}
