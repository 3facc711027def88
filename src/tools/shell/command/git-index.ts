import { HostError, isSecretName } from "../../../host/index.ts";
import type { CommandPlace } from "./place.ts";
import { accessOf } from "./secrets-below.ts";

const mostBytes = 16 * 1024 * 1024;
const headBytes = 12;
/** Of an entry: what is known of the file, its id, and flags; then its path. */
const entryBytes = 62;
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
  const access = accessOf(place);
  try {
    using file = place.workspace.open(index, access);
    return secretsIn(await file.bytes(mostBytes, access.signal));
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

function secretsIn(index: Buffer): readonly string[] | undefined {
  if (index.length < headBytes || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  const secrets: string[] = [];
  let at = headBytes;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + entryBytes > index.length) return undefined;
    const extended = (index.readUInt16BE(at + entryBytes - 2) & 0x4000) !== 0;
    const from = at + entryBytes + (extended ? 2 : 0);
    const end = index.indexOf(0, from);
    if (end < 0) return undefined;
    const path = index.toString("utf8", from, end);
    if (path.toLowerCase().split("/").some(isSecretName) && secrets.push(path) === mostNamed) return secrets;
    // Each entry ends with one to eight zeros, at a multiple of eight from its beginning.
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  return elsewhere.test(index.toString("latin1", at)) ? undefined : secrets;
}
