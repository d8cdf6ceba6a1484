/** Loads a file of a skill as a resource. In a fork without skills, this module is not bundled. */
import type { ResourceDefinition } from "../model/primitives.ts";

/** The module that discovery writes for a skill: the contents of its files. */
interface SkillModule {
  readonly default: readonly (string | { readonly base64: string })[];
}

/** @param place of the file in the module */
export async function skillFile(module: Promise<SkillModule>, place: number): Promise<{ default: ResourceDefinition }> {
  const content = (await module).default[place];
  const read = () => (typeof content === "object" ? Uint8Array.fromBase64(content.base64) : content);
  // Only `read` of this definition is used: the rest is in the catalogue.
  return { default: { uri: "", description: "", read } };
}
