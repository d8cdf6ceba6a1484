/** No tokens that others sign. Bundled unless wrangler.toml has an alias to `src/tokens/jwt.ts` instead. */
import type { CreateTokenVerifier } from "../access/tokens.ts";

const createTokenVerifier: CreateTokenVerifier | undefined = undefined;
export default createTokenVerifier;
