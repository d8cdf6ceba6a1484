/** The texts of `npm run new`: its usage, and what to do with what it wrote. */
import { article } from "../../build/read/paths.ts";
import type { Needs, Target } from "./target.ts";

export const USAGE = `Writes a tool, a prompt, a resource or an event, and its test.

npm run new -- weather/forecast   writes tools/weather/forecast.ts: Weather.Forecast
    --secret API_KEY              it needs a secret, from its caller or the Worker
    --authorization google        it needs a token for a service, likewise
    --session                     it remembers values between the calls of a session
npm run new -- weather/explain --prompt     a prompt, which a person picks
npm run new -- weather/stations --resource  a resource, which a client reads
npm run new -- weather/changed --event      an event, which tools emit and clients hear of

Names are lower-case words joined by dashes. Nothing is ever overwritten.`;

/** What `npm run new` prints when it is done. */
export function nextSteps({ kind, file, test, id, mcpName, toolkit }: Target, { secret }: Needs): string {
  const known =
    kind === "tool" ? `${id} over OXP, and ${mcpName} over MCP and OpenTool` : `${article(kind)} ${kind} over MCP`;
  const steps = [
    `npm test -- tools/${toolkit}`,
    ...(secret
      ? [`echo '${secret}=…' >> .dev.vars && npm start   (for a deployment: npx wrangler secret put ${secret})`]
      : []),
  ];
  return `Wrote ${file} and ${test}.
It is ${known}.

Next: ${steps.join("\n      ")}`;
}
