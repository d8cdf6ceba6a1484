/** The Node of this machine, for code that runs outside the project: in CI that is Node 20, too. */

import { delimiter } from "node:path";
import { execFileSync } from "./processes.ts";

/** The first Node on the path that is not the one that the project installs; that one, if there is no other. */
export function systemNode(): string {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = { PATH: folders.join(delimiter), OWN: process.execPath };
  return execFileSync("/bin/sh", ["-c", 'command -v node || echo "$OWN"'], { env, encoding: "utf8" }).trim();
}
