/** No tokens that others sign. Bundled unless wrangler.toml has an alias to `src/tokens/jwt.ts` instead. */
import type { CreateTokens } from "../access/tokens.ts";

const createTokens: CreateTokens | undefined = undefined;
export default createTokens;
