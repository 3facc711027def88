import { join } from "node:path";
import { readSourceFile, type SourceFile, watchPath } from "../../host/index.ts";
import type { Tool } from "../../kernel/index.ts";
import { createTool, type UserToolServices } from "../command/create-tool.ts";
import { KeptFiles } from "../kept-files.ts";
import type { FileProblem } from "../problems.ts";
import { Reload } from "../reload.ts";
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
  const { shelf, folders, watch, accepts, agents } = services;
  const files = new KeptFiles<Registered>({
    accepts,
    read: (file) => {
      const { manifest, problems } = readManifest(file, agents === undefined ? {} : { agents: agents() });
      return { value: manifest && { manifest, tools: toTools(manifest, services) }, problems };
    },
  });
  let skipped: readonly FileProblem[] = [];
  const watchers: { close(): void }[] = [];
  let closed = false;
  const reload = new Reload(async () => {
    const found = await Promise.all(
      folders.map((folder) => readSourceFile(join(folder, manifestFileName), { maxBytes: mostBytes })),
    );
    if (closed) return;
    files.update(found.filter((file): file is SourceFile => file !== undefined && "text" in file));
    const taken = shelf.put(files.values().flatMap(({ tools }) => tools));
    skipped = [
      ...found.flatMap((file) => (file !== undefined && "reason" in file ? [unreadable(file)] : [])),
      ...taken.map(({ name, reason }): FileProblem => {
        const owner = files.values().find(({ tools }) => tools.some((tool) => tool.name === name));
        return {
          where: owner?.manifest.path ?? name,
          code: "SOURCE_NAME_TAKEN",
          message: `Cannot use the tool "${name}": ${reason}, or say "override": true`,
          level: "error",
        };
      }),
    ];
  });
  return {
    kind: "manifest",
    async start() {
      if (watch)
        watchers.push(
          ...folders.map((folder) => watchPath(join(folder, manifestFileName), () => void reload.now())),
        );
      await reload.now();
    },
    reload: () => reload.now(),
    manifests: () => files.values().map(({ manifest }) => manifest),
    problems: () => [...files.problems().filter(({ level }) => level === "error"), ...skipped],
    async close() {
      closed = true;
      for (const watcher of watchers) watcher.close();
      shelf.close();
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

function unreadable({ path, reason }: { readonly path: string; readonly reason: string }): FileProblem {
  return {
    where: path,
    code: "SOURCE_UNREADABLE",
    message: `Cannot read "${path}": ${reason}`,
    level: "error",
  };
}
