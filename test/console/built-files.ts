import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

/** Reads the files of the built page, which are kept compressed, by their names in addresses. */
export function readBuilt(folder: string): ReadonlyMap<string, Buffer> {
  return new Map(
    globSync("**/*.br", { cwd: folder }).map((file) => [
      file.slice(0, -".br".length).replaceAll("\\", "/"),
      brotliDecompressSync(readFileSync(join(folder, file))),
    ]),
  );
}
