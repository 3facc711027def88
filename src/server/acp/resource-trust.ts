import { fileURLToPath } from "node:url";
import { type App, worstTrust } from "../../app/index.ts";
import { resolvePath } from "../../host/index.ts";
import { isWithinAny, type Trust } from "../../kernel/index.ts";

/** The trust of the resources in a prompt. Of one that is no file here, nothing is known. */
export async function findResourceTrust(app: App, uris: readonly string[]): Promise<Trust> {
  if (uris.length === 0) return "trusted";
  const { ledger } = await app.store();
  const untrusted = new Set(await ledger.untrustedFiles());
  return worstTrust(
    uris.map((uri) => {
      const path = findPath(uri, app.folder);
      return path === undefined || isWithinAny(path, untrusted) ? "untrusted" : "trusted";
    }),
  );
}

/** The canonical path of a file; undefined for any other address. */
function findPath(uri: string, folder: string): string | undefined {
  const url = URL.parse(uri);
  if (url !== null && url.protocol !== "file:") return undefined;
  try {
    const given = url === null ? uri : fileURLToPath(url);
    return resolvePath(given, { base: folder, followLast: true }).path;
  } catch {
    return undefined;
  }
}
