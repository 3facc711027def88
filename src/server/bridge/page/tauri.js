import { confirm, filePicker, notify } from "./tools.js";

/** Calls a command of the Tauri program whose window this is; undefined in a browser. */
export function findInvoke() {
  const tauri = globalThis.__TAURI__;
  const invoke = tauri?.core?.invoke ?? tauri?.tauri?.invoke ?? tauri?.invoke;
  return typeof invoke === "function" ? invoke : undefined;
}

/**
 * The program's own tools, each a command of its name. A program that has the command `haft_bridge_tools` says by it
 * which they are; of any other they are those of a browser.
 */
export async function tauriTools(invoke) {
  const definitions = await listed(invoke);
  return definitions.map((definition) => ({
    definition,
    run: (params, { signal }) => untilAborted(invoke(definition.name, params), signal),
  }));
}

async function listed(invoke) {
  try {
    const definitions = await invoke("haft_bridge_tools");
    if (Array.isArray(definitions)) return definitions;
  } catch {
    // It has no such command.
  }
  const paths =
    "Let the person choose files, in a dialog of their own system. They choose by hand, and may decline. Gives the paths.";
  return [{ ...filePicker, description: paths }, notify, confirm];
}

/** A command can't be stopped; nobody waits for it any more. */
function untilAborted(work, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    Promise.resolve(work).then(resolve, (error) =>
      reject(error instanceof Error ? error : new Error(String(error))),
    );
  });
}
