/** Adds files to the Worker of a deployment that has them. Only code generated for such a fork imports it. */
import type { App, Parts } from "../app.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import { FILE_RECORDS, FILES, fileMistakes, fileSettings } from "./bindings.ts";
import { filesProtocol } from "./endpoints.ts";
import { FileStore } from "./store.ts";

/** @param create makes the Worker */
export function withFileStore<Worker extends App>(create: (parts: Parts) => Worker): (parts: Parts) => Worker {
  return (parts) => {
    const { runtime, features = [] } = parts;
    for (const { setting, problem, fix } of fileMistakes) {
      runtime.log({ level: "error", message: `${problem}: ${fix}. Until then, its default counts`, setting });
    }
    const store = storeFor(runtime);
    return create({
      ...parts,
      runtime: { ...runtime, files: store },
      features: [...features, filesProtocol(store)],
    });
  };
}

type Equip = (runtime: Runtime) => Runtime;

/** The same for code that runs outside of requests, such as tasks. */
export function equipWithFiles(equip: Equip): Equip {
  return (runtime) => ({ ...equip(runtime), files: storeFor(runtime) });
}

function storeFor({ signer }: Runtime): FileStore | undefined {
  if (!FILES || !FILE_RECORDS) return undefined;
  return new FileStore({ bucket: FILES, records: FILE_RECORDS, signer, settings: fileSettings });
}
