import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { isRecord } from "../../base/index.ts";
import { readSourceFiles, type SourceFile, type SourceFolder } from "../../host/index.ts";
import { readFrontMatter } from "../front-matter.ts";
import { type CallSignature, callIdSignature, type ModuleFile } from "./messages.ts";

/** What one extension is made of. */
export interface ExtensionUnit {
  /** `weather`, of `tools/weather.ts` or `tools/weather/`. */
  readonly name: string;
  /** The description in `pack.md`. */
  readonly description: string | undefined;
  /** How the tools are called, from `pack.md`. @default haft's own way */
  readonly signature: CallSignature | undefined;
  /** Its file, or its first one. */
  readonly where: string;
  /** Its own file or folder, accepted or not. */
  readonly own: readonly SourceFile[];
  /** Addresses of the modules whose default export is a tool. */
  readonly entries: readonly string[];
  /** What its modules can import: its own files, and `lib/` as far as that is accepted. */
  readonly files: readonly ModuleFile[];
  /** The hash of all these texts. */
  readonly hash: string;
}

export interface ExtensionLayout {
  readonly units: readonly ExtensionUnit[];
  /** Files of `skills/`. */
  readonly skills: readonly SourceFile[];
  /** Files of `lib/` that nothing can import. */
  readonly unaccepted: readonly SourceFile[];
  /** Modules beside the folders in which they would be looked for. */
  readonly misplaced: readonly SourceFile[];
}

const moduleEnd = /\.(m?ts|m?js)$/;
const sideFile = /(^|\/)[._]|\.(d|test|spec|config)\.\w+$/;

/** Whether a file of an extension folder belongs to an extension: modules and JSON below `tools/` and `lib/`, skills, and `pack.md`. */
export function isExtensionFile(relative: string): boolean {
  if (/(^|\/)\./.test(relative)) return false;
  if (/^skills\/.+\.md$/.test(relative) || /^tools\/[^/]+\/pack\.md$/.test(relative)) return true;
  return /^(tools|lib)\//.test(relative) && (moduleEnd.test(relative) || relative.endsWith(".json"));
}

/** A module that is in none of the folders of an extension folder, and so is none of its tools. */
function isMisplaced(relative: string): boolean {
  return /^(?!(tools|lib|skills)\/)([^/]+\/)?[^/]+$/.test(relative) && isModule(relative);
}

function isModule(relative: string): boolean {
  return moduleEnd.test(relative) && !sideFile.test(relative);
}

/** Reads the files of a folder of extensions, and those that lie beside its folders. */
export function readExtensionFiles(folder: string): Promise<SourceFolder> {
  return readSourceFiles(folder, { match: (path) => isExtensionFile(path) || isMisplaced(path) });
}

/** Tells the extensions of a folder apart. `relative` is what each file is known by. */
export function layOut(
  files: readonly SourceFile[],
  accepts: (file: SourceFile) => boolean,
): ExtensionLayout {
  const lib = files.filter(({ relative }) => relative.startsWith("lib/"));
  const shared = lib.filter(accepts);
  const own = new Map<string, SourceFile[]>();
  for (const file of files) {
    const [top, first = "", second] = file.relative.split("/");
    if (top !== "tools") continue;
    if (second === undefined && !isModule(first)) continue;
    const key = second === undefined ? first : `${first}/`;
    own.set(key, [...(own.get(key) ?? []), file]);
  }
  return {
    units: Array.from(own, ([key, list]) => toUnit(key, list, shared)).filter(
      ({ entries }) => entries.length > 0,
    ),
    skills: files.filter(({ relative }) => relative.startsWith("skills/")),
    unaccepted: lib.filter((file) => !shared.includes(file)),
    misplaced: files.filter(({ relative }) => isMisplaced(relative)),
  };
}

function toUnit(key: string, own: readonly SourceFile[], shared: readonly SourceFile[]): ExtensionUnit {
  const isFolder = key.endsWith("/");
  const entries = own.filter(({ relative }) => isEntry(relative, isFolder ? `tools/${key}` : "tools/"));
  const pack = own.find(({ relative }) => relative === `tools/${key}pack.md`);
  const modules = [...own.filter((file) => file !== pack), ...shared];
  const hash = createHash("sha256");
  for (const { relative, text } of [...own, ...shared])
    hash.update(`${relative.length}:${relative}${text.length}:${text}`);
  return {
    name: isFolder ? key.slice(0, -1) : key.replace(moduleEnd, ""),
    ...readPack(pack?.text),
    where: entries[0]?.path ?? own[0]?.path ?? key,
    own,
    entries: entries.map(toUrl),
    files: modules.map((file) => ({ url: toUrl(file), text: file.text })),
    hash: hash.digest("hex"),
  };
}

/** A module directly in the folder that is no helper, test or configuration. */
function isEntry(relative: string, folder: string): boolean {
  const name = relative.slice(folder.length);
  return !name.includes("/") && isModule(name);
}

function toUrl({ path }: SourceFile): string {
  return pathToFileURL(path).href;
}

/** What a `pack.md` says: its words without headings, and the signature that its front matter may name. */
function readPack(text = ""): Pick<ExtensionUnit, "description" | "signature"> {
  const read = readFrontMatter(text);
  if ("code" in read) return { description: describe(text), signature: undefined };
  const named = read.fields.value;
  const isCallId = isRecord(named) && named["signature"] === callIdSignature;
  return { description: describe(read.body), signature: isCallId ? callIdSignature : undefined };
}

function describe(text: string): string | undefined {
  const words = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
  return words === "" ? undefined : words.slice(0, 1000);
}
