/** The texts of `npm run new`: its usage, and what to do with what it wrote. */
import { article } from "../../discovery/lib/article.ts";
import type { Needs, Target } from "./target.ts";

export const USAGE = `Writes a tool, a prompt, a resource, an event or a view, and its test; or a skill.

npm run new -- weather/forecast   writes tools/weather/forecast.ts: Weather.Forecast
    --secret API_KEY              it needs a secret, from its caller or the Worker
    --authorization google        it needs a token for a service, from the same
    --session                     it remembers values between the calls of a session
npm run new -- weather/explain --prompt     a prompt, which a person picks
npm run new -- weather/stations --resource  a resource, which a client reads
npm run new -- weather/changed --event      an event, which tools emit and clients hear of
npm run new -- weather/forecast --view      a view, which hosts show for the tool; with the tool, if there is none
npm run new -- weather/storm-check --skill  a skill, which tells models how to do a job; weather is the toolkit's own

Names are lower-case words joined by dashes. Nothing is ever overwritten.`;

/**
 * What `npm run new` prints when it is done.
 *
 * @param written the files
 */
export function nextSteps(target: Target, { secret }: Needs, written: readonly string[]): string {
  const { kind, toolkit } = target;
  const steps =
    kind === "skill"
      ? ["say in it what it is for, and how the job is done (docs/listings.md)", "npm run discover"]
      : [
          `npm test -- tools/${toolkit}`,
          ...(secret
            ? [`echo '${secret}=…' >> .dev.vars && npm start   (for a deployment: npx wrangler secret put ${secret})`]
            : []),
          ...(kind === "view" ? ["npm start   (docs/views.md says how to see the view)"] : []),
        ];
  return `Wrote ${new Intl.ListFormat("en-GB").format(written)}.
It is ${whatIs(target)}.

Next: ${steps.join("\n      ")}`;
}

function whatIs({ kind, id, mcpName, name, tool }: Target): string {
  const protocols = `${id} over OXP, and ${mcpName} over MCP and OpenTool`;
  if (kind === "tool") return protocols;
  if (kind === "view") {
    return tool ? `${protocols}, with a view for hosts that show one` : `the view of ${id}, for hosts that show views`;
  }
  return kind === "skill" ? `the skill ${name} over MCP` : `${article(kind)} ${kind} over MCP`;
}
