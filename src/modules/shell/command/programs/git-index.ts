import { HostError, isSecretName, readIndex } from "../../../../host/index.ts";
import { toFileAccess } from "../secrets-below.ts";
import type { CommandPlace } from "../syntax/place.ts";

const mostBytes = 16 * 1024 * 1024;
const versionEnd = 8;
const hashBytes = 20;
const mostNamed = 2;
/** What follows the entries tells of more of them, or of folders that stand for many. */
const elsewhere = /link|sdir/;

/**
 * Up to two paths of files that git keeps in the work tree and that may hold secrets; undefined where the index can't
 * be read: it is too large, or of another format than versions 2 and 3.
 */
export async function trackedSecrets(
  index: string,
  place: CommandPlace,
): Promise<readonly string[] | undefined> {
  const access = toFileAccess(place);
  try {
    using file = place.workspace.open(index, access);
    return secretsIn(await file.bytes(mostBytes, access.signal));
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

function secretsIn(index: Buffer): readonly string[] | undefined {
  const version = index.length < versionEnd ? 0 : index.readUInt32BE(versionEnd - 4);
  if (version !== 2 && version !== 3) return undefined;
  const entries = readIndex(index, hashBytes);
  const secrets: string[] = [];
  for (let next = entries.next(); ; next = entries.next()) {
    if (next.done === true) {
      const isWhole = next.value !== undefined && !elsewhere.test(index.toString("latin1", next.value));
      return isWhole ? secrets : undefined;
    }
    const { name } = next.value;
    if (name.toLowerCase().split("/").some(isSecretName) && secrets.push(name) === mostNamed) return secrets;
  }
}
