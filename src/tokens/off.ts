/** Used when tokens are off, so that no verifier is bundled: the alias `#tokens` in wrangler.toml turns them on. */
import type { CreateTokenVerifier } from "../access/tokens.ts";

const createTokenVerifier: CreateTokenVerifier | undefined = undefined;
export default createTokenVerifier;
