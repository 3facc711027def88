import type { Effect } from "../tool/effect.ts";

const maxFiles = 10_000;

/** The files that calls with data from outside have written, by their canonical paths. */
export class UntrustedFiles {
  readonly #paths = new Set<string>();

  /** These files are untrusted from now on. */
  add(paths: readonly string[]): void {
    for (const path of paths) {
      this.#paths.add(path);
      const [oldest] = this.#paths;
      if (this.#paths.size > maxFiles && oldest !== undefined) this.#paths.delete(oldest);
    }
  }

  /**
   * Whether what these effects touch is such a file, or below one that is a folder. Of a folder above one it is asked
   * whether the file's name was shown: what a search shows of other files is not from outside.
   */
  touchedBy(effects: readonly Effect[], shown: () => string): boolean {
    if (this.#paths.size === 0) return false;
    return effects.some(({ kind, target }) => {
      if (kind === "run" || kind === "connect") return false;
      return isWithinAny(target, this.#paths) || this.#isNamedBelow(target, shown);
    });
  }

  #isNamedBelow(folder: string, shown: () => string): boolean {
    let text: string | undefined;
    for (const path of this.#paths) {
      if (!path.startsWith(folder) || !/[\\/]/.test(path.charAt(folder.length))) continue;
      text ??= shown();
      if (text.includes(path.split(/[\\/]/).at(-1) as string)) return true;
    }
    return false;
  }
}

/** Whether a path is one of these, or below one. */
export function isWithinAny(path: string, paths: ReadonlySet<string>): boolean {
  return withFolders(path).some((one) => paths.has(one));
}

/** The files that effects write. */
export function writtenFiles(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap(({ kind, target }) => (kind === "write" && isPath(target) ? [target] : []));
}

/** Memory says of each entry itself what it holds. */
function isPath(target: string): boolean {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(target);
}

/** The path itself and every folder that it is in. */
function withFolders(path: string): string[] {
  const folders = [path];
  for (let end = path.length - 1; end > 0; end--)
    if (path[end] === "/" || path[end] === "\\") folders.push(path.slice(0, end));
  return folders;
}
