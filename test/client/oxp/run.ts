/** Runs the cases of this folder: in Node, in workerd and in a browser, so it has nothing of Node's. */
import { OxpClient, type OxpClientOptions, OxpError } from "../../../src/client/oxp.ts";
import { simulated } from "./clock.ts";
import { ODD_CASES } from "./odd-cases.ts";
import { SERVER_CASES } from "./server-cases.ts";

export interface Input {
  /** Address of our server. */
  readonly server: string;
  /** Address of the odd server. */
  readonly odd: string;
  /** That our server accepts. */
  readonly token: string;
  readonly expired: string;
}

export interface Case {
  readonly name: string;
  /** As JSON, with SERVER and ODD for the addresses, and UUID for those. */
  readonly expected: unknown;
  run(world: World): Promise<unknown>;
}

/** A request, as the odd server got it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** What a case has to do with. */
export interface World extends Input {
  /** A name that no other case has, in any runtime. */
  readonly id: string;
  /** A client of our server, with its token and a simulated clock. */
  client(options?: Partial<OxpClientOptions>): OxpClient;
  /** A client of the odd server, with a simulated clock. */
  oddClient(how: string, options?: Partial<OxpClientOptions>): OxpClient;
  /** The waits of these clients. */
  readonly slept: readonly number[];
  /** What the odd server was sent. */
  seen(): Promise<readonly Seen[]>;
}

/** Those of a call, and of any error, as JSON. */
export async function run(input: Input): Promise<Record<string, unknown>> {
  const outcomes: Record<string, unknown> = {};
  await Promise.all(
    [...SERVER_CASES, ...ODD_CASES].map(async (one) => {
      const outcome = await one.run(worldOf(input)).catch(described);
      const text = JSON.stringify(outcome ?? null)
        .replaceAll(input.server, "SERVER")
        .replaceAll(input.odd, "ODD")
        .replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g, "UUID");
      outcomes[one.name] = JSON.parse(text);
    }),
  );
  return outcomes;
}

function worldOf(input: Input): World {
  const id = crypto.randomUUID();
  const clock = simulated();
  return {
    ...input,
    id,
    client: (options) => new OxpClient({ url: input.server, token: input.token, retry: { clock }, ...options }),
    oddClient: (how, options) => new OxpClient({ url: `${input.odd}/${how}/${id}`, retry: { clock }, ...options }),
    slept: clock.slept,
    seen: async () => (await fetch(`${input.odd}/seen/${id}`)).json() as never,
  };
}

/** @returns all that a program can read of an error */
export function described(error: unknown): object {
  if (!(error instanceof OxpError)) return { thrown: String(error) };
  const { message, promptText, ...fields } = { ...error, message: error.message, promptText: error.promptText };
  return { message, ...(promptText !== message && { promptText }), ...fields };
}
