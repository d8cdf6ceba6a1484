/** The page at /: what a person finds at the address of a deployment. */
import { h } from "./lib/dom.ts";

document.querySelector("main")?.append(h("p", {}, "The tools of this server."));
