/** What goes into a call and what comes out of it (OpenTool 1.0, section 4). */
import { isRecord } from "../lib/json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A call of a function, as a model makes it. */
export class FunctionCall {
  /** Identifies the call in the request and in its {@link ToolReturn}. Calling again with the same id runs it again. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;

  constructor(id: string, name: string, args: JsonObject) {
    this.id = id;
    this.name = name;
    this.arguments = args;
  }

  /** @throws {TypeError} if `json` is not `{ id: string, name: string, arguments: object }` */
  static fromJson(json: unknown): FunctionCall {
    const { id, name, arguments: args } = objectIn(json, "FunctionCall");
    return new FunctionCall(
      stringIn(id, "FunctionCall", "id"),
      stringIn(name, "FunctionCall", "name"),
      objectIn(args, "FunctionCall", "arguments"),
    );
  }

  toJson(): { id: string; name: string; arguments: JsonObject } {
    return { id: this.id, name: this.name, arguments: this.arguments };
  }
}

export class ToolReturn {
  /** The id of the {@link FunctionCall}. */
  readonly id: string;
  readonly result: JsonObject;

  constructor(id: string, result: JsonObject) {
    this.id = id;
    this.result = result;
  }

  /** @throws {TypeError} if `json` is not `{ id: string, result: object }` */
  static fromJson(json: unknown): ToolReturn {
    const { id, result } = objectIn(json, "ToolReturn");
    return new ToolReturn(stringIn(id, "ToolReturn", "id"), objectIn(result, "ToolReturn", "result"));
  }

  toJson(): { id: string; result: JsonObject } {
    return { id: this.id, result: this.result };
  }
}

function objectIn(value: unknown, owner: string, member?: string): JsonObject {
  if (isRecord(value)) return value;
  const hint = typeof value === "string" ? ": parse it with JSON.parse first" : "";
  throw new TypeError(`${nameOf(owner, member)} must be an object, not ${kindOf(value)}${hint}`);
}

function stringIn(value: unknown, owner: string, member: string): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${nameOf(owner, member)} must be a string, not ${kindOf(value)}`);
}

const nameOf = (owner: string, member?: string) => (member === undefined ? owner : `${owner}.${member}`);

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return `a ${typeof value}`;
}
