/** Operators in the URIs of resources (RFC 6570, section 3.2). */
import { matcherOf, rulesOf } from "../../core/call/uri-template.ts";
import type { Feature } from "../feature.ts";
import { matcherWithOperators, rulesWithOperators } from "./match.ts";

export const feature: Feature = {
  provide: (runtime) => ({
    ...runtime,
    uriTemplates: { matcherOf: matcherWithOperators(matcherOf), rules: rulesWithOperators(rulesOf) },
  }),
};
