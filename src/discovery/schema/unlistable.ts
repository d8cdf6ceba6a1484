/** Thrown for a part of a schema that JSON Schema has no words for. */
export class Unlistable extends Error {
  /** The part's type as its library calls it, such as `date`. */
  readonly type: string;
  /** Names of members, and `[]` for the items of a list, that lead to the part. */
  readonly path: readonly string[];

  constructor(message: string, type: string, path: readonly string[]) {
    super(message);
    this.type = type;
    this.path = path;
  }
}
