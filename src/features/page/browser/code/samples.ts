/** One call of a tool as other programs would make it: text to copy. Pure. */
import { clientSamples } from "./clients.ts";
import { afterVariables } from "./context.ts";
import { curlSamples } from "./curl.ts";
import { modelSamples } from "./models.ts";
import type { Call, Sample } from "./sample.ts";
import { withoutSecrets } from "./secrets.ts";

/**
 * @returns in the order in which to show them; parts of one sample follow each other. They contain no secret of the
 * input
 */
export function samples(given: Call): readonly Sample[] {
  const input = withoutSecrets(given.input, given.version.input);
  const call = { ...given, input };
  const secrets = input === given.input ? [] : ["Secrets are not shown: write each in place of …."];
  return [...curlSamples(call), ...clientSamples(call), ...modelSamples(call)]
    .map((sample) => withNotes(sample, [...missing(call), ...secrets]))
    .flatMap((sample) => afterVariables(call, sample));
}

/** Says which required parameters the call lacks. */
function missing({ version, input }: Call): readonly string[] {
  const { required } = version.input;
  const names = Array.isArray(required) ? required.filter((name) => !(name in input)) : [];
  return names.length === 0 ? [] : [`Not filled in yet: ${names.join(", ")}. The form is under Try it.`];
}

/** Puts notes before the sample's own. */
function withNotes(sample: Sample, notes: readonly string[]): Sample {
  const all = [...notes, ...(sample.note === undefined ? [] : [sample.note])];
  return all.length === 0 ? sample : { ...sample, note: all.join(" ") };
}
