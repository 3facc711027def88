import { posix } from "node:path";
import type { CodeFile } from "../../../../kernel/index.ts";
import type { CommandAnalysis, CommandPart } from "../analysis.ts";
import { readCode } from "../syntax/named-code.ts";
import { resolvePaths } from "../syntax/paths.ts";
import type { CommandPlace } from "../syntax/place.ts";

/**
 * The programs of a line that a shell would find in a folder of the project: whatever their names say, they are code of
 * the project's. `npx` and `npm start` put such folders before those of the system.
 */
export class ProjectPrograms {
  readonly #place: CommandPlace;
  /** Paths of the project's programs, by name. */
  readonly #found = new Map<string, string>();
  readonly #seen = new Set<string>();

  constructor({ programs, folders }: CommandAnalysis, place: CommandPlace) {
    this.#place = place;
    const cwds = resolvePaths({ path: ".", home: false }, folders, place.cwd);
    for (const name of programs) {
      const found = place.programs.find(name, cwds);
      if (found?.isOfProject === true) this.#found.set(name, found.path);
    }
  }

  /** Treats a part that runs a program of the project as unknown, whatever the program's name. */
  demote(part: CommandPart): CommandPart {
    const path = this.#resolvePath(part);
    if (path === undefined) return part;
    this.#seen.add(part.words[0] as string);
    const { routine: _routine, ...rest } = part;
    return { ...rest, readOnly: false, against: formatSaid(part.words[0] as string, path) };
  }

  /** Lists programs that no part shows because they only start another, such as `nice`. */
  get unseen(): readonly CommandPart[] {
    return Array.from(this.#found)
      .filter(([name]) => !this.#seen.has(name))
      .map(([name, path]) => ({
        text: name,
        words: [name],
        aliases: [],
        readOnly: false,
        against: formatSaid(name, path),
      }));
  }

  async listCode(part: CommandPart): Promise<readonly CodeFile[]> {
    const path = this.#resolvePath(part);
    const file = path === undefined ? undefined : await readCode(path, this.#place);
    return file === undefined ? [] : [file];
  }

  #resolvePath({ words: [name = ""] }: CommandPart): string | undefined {
    return this.#found.get(name);
  }
}

function formatSaid(name: string, path: string): string {
  return `${name} is a program of the project, in ${posix.dirname(path)}`;
}
