/** Operators in the URIs of resources (RFC 6570, section 3.2). */
import { fitting, rulesOf } from "../../core/call/uri-template.ts";
import type { Feature } from "../feature.ts";
import { fittingWithOperators, rulesWithOperators } from "./match.ts";

export const feature: Feature = {
  provide: (runtime) => ({
    ...runtime,
    uriTemplates: { fitting: fittingWithOperators(fitting), rules: rulesWithOperators(rulesOf) },
  }),
};
