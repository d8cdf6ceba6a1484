/** Operators in the URIs of resources (RFC 6570, section 3.2). */
import { fitUri, rulesOf } from "../../core/call/uri-template.ts";
import type { Feature } from "../feature.ts";
import { fitUriWithOperators, rulesWithOperators } from "./match.ts";

export const feature: Feature = {
  provide: (runtime) => ({
    ...runtime,
    uriTemplates: { fit: fitUriWithOperators(fitUri), rules: rulesWithOperators(rulesOf) },
  }),
};
