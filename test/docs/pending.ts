/**
 * What pages link to or call before it exists. A test fails for an entry that does exist, so this file becomes empty,
 * and is deleted.
 */
export const PENDING: {
  readonly pages: readonly string[];
  readonly scripts: readonly string[];
  readonly imports: readonly string[];
} = {
  pages: [...["debugging"]].map((name) => `docs/${name}.md`),
  scripts: [],
  imports: [],
};
