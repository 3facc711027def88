import { lstatSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { canonical } from "../places.ts";

/**
 * Lists the sockets that programs of this machine listen at now, as canonical paths: a read-only mount keeps nobody from
 * connecting there. Those of a container are known only where they are mounted one by one; one that is made later is not
 * known.
 *
 * @param folders in which a socket is looked for that was bound by a relative name
 */
export function listeningSockets(folders: readonly string[]): string[] {
  const found = new Set<string>();
  for (const name of [...boundNames(), ...mountPoints()]) {
    const paths = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name));
    for (const path of paths) if (isSocket(path)) found.add(canonical(path) ?? path);
  }
  return Array.from(found);
}

export function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}

/** Names that begin with `@` or NUL lead to no file, and are of another network than the sandbox's. */
function boundNames(): string[] {
  return listLines("/proc/net/unix").flatMap((line) => /^(?:\S+ +){6}\d+ ([^@\0].*)$/.exec(line)?.[1] ?? []);
}

function mountPoints(): string[] {
  return listLines("/proc/self/mountinfo").flatMap((line) => {
    const [, , , root, path] = line.split(" ");
    // A mount whose root is `/` is a whole file system, and so a folder.
    if (root === "/") return [];
    return (
      path?.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))) ?? []
    );
  });
}

function listLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
