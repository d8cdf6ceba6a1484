/** Gives the runtime its store of files. Only code generated for a fork with files imports it. */
import type { Runtime } from "../core/ports/runtime.ts";
import type { Signer } from "../core/ports/signed-handles.ts";
import { FILE_RECORDS, FILES, fileSettings } from "./bindings.ts";
import { FileStore } from "./store.ts";

type Equip = (runtime: Runtime) => Runtime;

/** @param equip adds what other features add */
export function equipWithFiles(equip: Equip): Equip {
  return (runtime) => {
    const equipped = equip(runtime);
    return { ...equipped, files: storeFor(equipped.signer) };
  };
}

/** @returns undefined if the deployment lacks a binding of files */
export function storeFor(signer: Signer): FileStore | undefined {
  if (!FILES || !FILE_RECORDS) return undefined;
  return new FileStore({ bucket: FILES, records: FILE_RECORDS, signer, settings: fileSettings });
}
