import { join } from "node:path";
import { readSourceFile, type SourceFile } from "../../host/index.ts";
import type { Tool } from "../../kernel/index.ts";
import { createTool, type UserToolServices } from "../command/create-tool.ts";
import { FollowedFiles } from "../followed-files.ts";
import { KeptFiles } from "../kept-files.ts";
import { type FileProblem, nameTaken, unreadable } from "../problems.ts";
import type { Source, SourceServices } from "../source.ts";
import { manifestFileName, readManifest, type SpaceManifest } from "./manifest.ts";

export interface ManifestServices extends SourceServices, UserToolServices {
  /** Folders that may have a manifest: its commands start in the project, and so do those of the others. */
  readonly folders: readonly string[];
  /** The agents that there are, by id. Absent: not known. */
  readonly agents?: () => readonly string[];
}

export interface ManifestSource extends Source {
  readonly kind: "manifest";
  problems(): readonly FileProblem[];
  /** The manifests in use. */
  manifests(): readonly SpaceManifest[];
  /** Looks again: after the owner has accepted a file. */
  reload(): Promise<void>;
}

const mostBytes = 1024 ** 2;

/** The tools of the spaces whose manifests lie in these folders. */
export function createManifestSource(services: ManifestServices): ManifestSource {
  const { toolSource, folders, watch, accepts, agents } = services;
  const files = new KeptFiles<Registered>({
    accepts,
    read: (file) => {
      const { manifest, problems } = readManifest(file, agents === undefined ? {} : { agents: agents() });
      return { value: manifest && { manifest, tools: toTools(manifest, services) }, problems };
    },
  });
  let skipped: readonly FileProblem[] = [];
  const paths = folders.map((folder) => join(folder, manifestFileName));
  const load = async () => {
    const found = await Promise.all(paths.map((path) => readSourceFile(path, { maxBytes: mostBytes })));
    files.update(found.filter((file): file is SourceFile => file !== undefined && "text" in file));
    const taken = toolSource.put(files.values().flatMap(({ tools }) => tools));
    skipped = [
      ...found.flatMap((file) => (file !== undefined && "reason" in file ? [unreadable(file)] : [])),
      ...taken.map(({ name, reason }) => {
        const owner = files.values().find(({ tools }) => tools.some((tool) => tool.name === name));
        const where = owner?.manifest.path ?? name;
        return nameTaken(where, `the tool "${name}"`, `${reason}, or say "override": true`);
      }),
    ];
  };
  const followed = new FollowedFiles({ paths, watch, load });
  return {
    kind: "manifest",
    start: () => followed.start(),
    reload: () => followed.reload(),
    manifests: () => files.values().map(({ manifest }) => manifest),
    problems: () => [...files.problems().filter(({ level }) => level === "error"), ...skipped],
    async close() {
      await followed.close();
      toolSource.close();
    },
  };
}

interface Registered {
  readonly manifest: SpaceManifest;
  readonly tools: readonly Tool[];
}

function toTools({ id, tools }: SpaceManifest, services: UserToolServices): readonly Tool[] {
  const origin = `manifest:${id}`;
  return tools.map(({ tool, version }) => createTool(tool, { origin, pack: id, version }, services));
}
