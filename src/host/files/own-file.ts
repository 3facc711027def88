import { readFile } from "node:fs/promises";

/** A file that haft itself is made of, such as a page that it shows; never one of a user. */
export async function readOwnFile(file: URL): Promise<Uint8Array> {
  return readFile(file);
}
