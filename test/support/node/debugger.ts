/** A debugger as an editor has one: connects to wrangler's inspector and sets a breakpoint by the line of a source file. */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

export interface Debugger {
  /** Sets a breakpoint at the start of a line (the first is 1) of a source file. */
  breakAt(file: string, line: number): Promise<void>;
  /** Resolves when the Worker stops, with the expression's value in the innermost function, and lets it go on. */
  valueWhenStopped(expression: string): Promise<unknown>;
  close(): void;
}

export async function attach(port: number): Promise<Debugger> {
  // wrangler's inspector refuses other pages.
  const options = { headers: { origin: "http://localhost" } } as unknown as string[];
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, options);
  const seen: Message[] = [];
  const waiting = new Set<() => void>();
  socket.addEventListener("message", ({ data }) => {
    seen.push(JSON.parse(String(data)));
    for (const look of waiting) look();
  });
  await new Promise((opened, failed) => {
    socket.addEventListener("open", opened);
    socket.addEventListener("error", failed);
  });
  const message = (isIt: (message: Message) => boolean) =>
    new Promise<Message>((found) => {
      const look = () => {
        const one = seen.find(isIt);
        if (one === undefined) return;
        waiting.delete(look);
        found(one);
      };
      waiting.add(look);
      look();
    });
  let last = 0;
  const send = async (method: string, params: object = {}) => {
    const id = ++last;
    socket.send(JSON.stringify({ id, method, params }));
    return (await message((one) => one.id === id)).result ?? {};
  };
  await send("Debugger.enable");
  return {
    async breakAt(file, line) {
      const { params } = await message(
        ({ method, params }) => method === "Debugger.scriptParsed" && Boolean(params?.sourceMapURL),
      );
      const url = String(params?.url);
      const lineNumber = generatedLine(fileURLToPath(new URL(String(params?.sourceMapURL), url)), file, line);
      await send("Debugger.setBreakpointByUrl", { url, lineNumber });
    },
    async valueWhenStopped(expression) {
      const { params } = await message(({ method }) => method === "Debugger.paused");
      const [frame] = (params?.callFrames ?? []) as { callFrameId: string }[];
      const asked = { callFrameId: frame?.callFrameId, expression, returnByValue: true };
      const { result } = await send("Debugger.evaluateOnCallFrame", asked);
      await send("Debugger.resume");
      return (result as { value?: unknown }).value;
    },
    close: () => socket.close(),
  };
}

/** The line of the bundle, counted from 0, that a line of a source file became. */
function generatedLine(mapPath: string, file: string, line: number): number {
  const payload = JSON.parse(readFileSync(mapPath, "utf8"));
  const map = new SourceMap({ ...payload, sourceRoot: "" });
  const folder = resolve(dirname(mapPath), payload.sourceRoot ?? "");
  const lines = readFileSync(mapPath.replace(/\.map$/, ""), "utf8").split("\n");
  const at = lines.findIndex((text, number) => {
    const entry = map.findEntry(number, text.search(/\S|$/));
    return (
      "originalSource" in entry && entry.originalLine === line - 1 && resolve(folder, entry.originalSource) === file
    );
  });
  if (at === -1) throw new Error(`${file}:${line} is not in ${mapPath}`);
  return at;
}
