import { join } from "node:path";
import { readSourceFile, readSourceFiles, type SourceFile } from "../../host/index.ts";
import type { OpeningKind } from "../../sources/index.ts";
import { sourcePlaces } from "./source-places.ts";

/** A file of a project that says what runs, and counts only once its owner has accepted it. */
export interface ProjectFile {
  /** Canonical. */
  readonly path: string;
  readonly text: string;
  readonly kind: OpeningKind;
  /** What accepting it would let happen, a line each. */
  readonly opens: readonly string[];
}

/** All such files of a project, but for its configuration. */
export async function readProjectFiles(folder: string): Promise<readonly ProjectFile[]> {
  const { isExtensionFile, isTool, listOpenings } = await import("../../sources/index.ts");
  const at = (place: string) => join(folder, place);
  const isMarkdown = (path: string) => path.endsWith(".md");
  const [tools, hooks, extensions, ...single] = await Promise.all([
    readSourceFiles(at(sourcePlaces.tools), { match: isTool }),
    readSourceFiles(at(sourcePlaces.hooks), { match: isMarkdown }),
    readSourceFiles(at(sourcePlaces.extensions), { match: isExtensionFile }),
    readSourceFile(at(sourcePlaces.manifest)),
    readSourceFile(at(sourcePlaces.agent)),
  ]);
  const toFile = (kind: OpeningKind, { path, text }: SourceFile): ProjectFile => ({
    path,
    text,
    kind,
    opens: listOpenings(kind, text),
  });
  const [manifest, agent] = single.map((file) => (file !== undefined && "text" in file ? [file] : []));
  return [
    ...tools.files.map((file) => toFile("tool", file)),
    ...(manifest ?? []).map((file) => toFile("manifest", file)),
    ...hooks.files.map((file) => toFile("hook", file)),
    ...extensions.files.map((file) =>
      toFile(file.relative.startsWith("skills/") ? "skill" : "extension", file),
    ),
    ...(agent ?? []).map((file) => toFile("agent", file)),
  ];
}
