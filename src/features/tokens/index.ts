/** Verifies tokens (JSON Web Tokens) that an identity provider or a caller signs. */
import type { Feature } from "../feature.ts";
import { createTokenVerifier } from "./jwt.ts";

export const feature: Feature = { createTokenVerifier };
