import { formatBytes, getErrorMessage } from "../../base/index.ts";
import { listCopies } from "../../db/index.ts";
import type { App } from "../create-app.ts";
import { corruptRemedy, ledgerRemedy, openingRemedy } from "../views/store-remedies.ts";
import { describeQuarantine } from "../views/tool-data.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

export function checkConfig({ loaded, mode, rules }: App): Finding[] {
  const { files, warnings } = loaded;
  const read =
    files.length === 0 ? ok("config", "none; `haft init` writes one") : ok("config", files.join(", "));
  const policy = ok("policy", `mode ${mode}, ${rules.length} rules; \`haft policy\` lists them`);
  return [
    read,
    policy,
    ...warnings.map((text) => warning("trust", text, "read the file, then run `haft trust`")),
  ];
}

/** Every schema is compiled and converted; a tool that can't be used is named. */
export function checkTools({ registry }: App): Finding[] {
  const faulty = registry.checkAll();
  const total = registry.list().length;
  if (faulty.length === 0) return [ok("tools", `${total}, every schema in order`)];
  return faulty.map((one) => failed("tools", describeQuarantine(one), "report it to whoever wrote it"));
}

/** Reports the store and the copies that were kept before its tables changed. */
function describeStore(path: string): string {
  const copies = listCopies(path);
  if (copies.length === 0) return path;
  const bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0);
  return `${path}; ${copies.length} ${copies.length === 1 ? "copy" : "copies"} from before updates, ${formatBytes(bytes)}, in ${path}-copies`;
}

/** The store opens, is sound, and its ledger is whole. */
export async function checkStore(app: App, signal: AbortSignal): Promise<Finding[]> {
  try {
    const store = await app.store();
    const faults = await store.check();
    if (faults.length > 0) {
      return [failed("store", `${store.path}: ${faults.join("; ")}`, corruptRemedy(store.path))];
    }
    const chain = await store.ledger.verify({ signal });
    if (!chain.valid) {
      const { seq, fault, message } = chain.broken;
      return [
        ok("store", store.path),
        failed("ledger", `row ${seq} (${fault}): ${message}`, ledgerRemedy(store.path)),
      ];
    }
    const { seq, hash } = chain.head;
    return [
      ok("store", describeStore(store.path)),
      ok(
        "ledger",
        chain.rows === 0
          ? "empty"
          : `${chain.rows} rows, none changed; it ends at ${seq}:${hash.slice(0, 12)}`,
      ),
    ];
  } catch (error) {
    if (signal.aborted) throw error;
    return [failed("store", getErrorMessage(error), openingRemedy(error))];
  }
}
