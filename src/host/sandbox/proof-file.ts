import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRecord, parseJson } from "../../base/index.ts";
import type { CgroupFeatures } from "./linux/cgroups.ts";
import type { Proven } from "./prove.ts";
import type { LimitsReport, SandboxLevel } from "./report.ts";
import { findPrograms, type NamespacePrograms } from "./unshare/namespace-programs.ts";
import type { NamespaceFeatures } from "./unshare/namespaces.ts";

/** Whatever a proof depends on. */
export interface ProofSubject {
  readonly levels: readonly SandboxLevel[];
  readonly bubblewrap: string;
  readonly cgroups: CgroupFeatures;
}

/**
 * Keeps the proof that the best level holds here, from one start of haft to the next, in a file that only this user may
 * read or write. It counts for the same boot, kernel, programs, user, surroundings and haft, and is passed over where
 * the file is anybody else's, or anything else.
 */
export class ProofFile {
  readonly #path: string;
  /** The best level whose programs are installed here. */
  readonly #best: NamespacePrograms | undefined;
  /** Undefined: no proof can be kept. */
  readonly #key: string | undefined;

  constructor(path: string, { levels, bubblewrap, cgroups }: ProofSubject) {
    this.#path = path;
    this.#best = levels[0] === undefined ? undefined : bestPrograms(levels, bubblewrap);
    const about = this.#best && here(this.#best);
    this.#key =
      about &&
      createHash("sha256")
        .update(JSON.stringify([about, levels, cgroups]))
        .digest("hex");
  }

  read(): Proven | undefined {
    const kept = this.#key === undefined ? undefined : parseKept(readPrivate(this.#path));
    if (kept === undefined || kept.key !== this.#key || this.#best === undefined) return undefined;
    const { features, limits, detail, remedy } = kept;
    const { level } = this.#best;
    return {
      walls: { ...this.#best, features },
      level,
      limits,
      detail,
      ...(remedy !== undefined && { remedy }),
    };
  }

  /** Only the best level is kept: what hinders it may be gone at the next start. Where it can't be written, nothing is. */
  write({ walls, limits, detail, remedy }: Proven): void {
    if (this.#key === undefined || walls.level !== this.#best?.level) return;
    const kept: Kept = {
      key: this.#key,
      features: walls.features,
      limits,
      detail,
      ...(remedy !== undefined && { remedy }),
    };
    const staged = `${this.#path}.${process.pid}`;
    try {
      writeFileSync(staged, `${JSON.stringify(kept)}\n`, { mode: 0o600, flag: "wx" });
      renameSync(staged, this.#path);
    } catch {
      rmSync(staged, { force: true });
    }
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

interface Kept {
  readonly key: string;
  readonly features: NamespaceFeatures;
  readonly limits: LimitsReport;
  readonly detail: string;
  readonly remedy?: string;
}

/** The first of these levels that is one of namespaces and has its programs; undefined where another comes before it. */
function bestPrograms(levels: readonly SandboxLevel[], bubblewrap: string): NamespacePrograms | undefined {
  for (const level of levels) {
    if (level !== "bubblewrap" && level !== "unshare") return undefined;
    const programs = findPrograms(level, bubblewrap);
    if (!("fault" in programs)) return programs;
  }
  return undefined;
}

function parseKept(text: string | undefined): Kept | undefined {
  const value = text === undefined ? undefined : parseJson(text);
  if (!isRecord(value) || typeof value["key"] !== "string" || typeof value["detail"] !== "string")
    return undefined;
  const { key, detail, features, limits, remedy } = value;
  if (!isFeatures(features) || !isLimits(limits)) return undefined;
  return { key, detail, features, limits, ...(typeof remedy === "string" && { remedy }) };
}

function isFeatures(value: unknown): value is NamespaceFeatures {
  return (
    isRecord(value) && ["sizes", "countProcesses", "filter"].every((name) => typeof value[name] === "boolean")
  );
}

const limitWords: Readonly<Record<keyof LimitsReport, readonly unknown[]>> = {
  memory: ["cgroup", "rlimit", "none"],
  processes: ["cgroup", "rlimit", "none"],
  fileSize: ["rlimit", "none"],
  temporary: ["tmpfs", "none"],
};

function isLimits(value: unknown): value is LimitsReport {
  return isRecord(value) && Object.entries(limitWords).every(([name, words]) => words.includes(value[name]));
}

const mostBytes = 16_384;

function readPrivate(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    const isOurs = stats.isFile() && stats.uid === process.geteuid?.() && stats.nlink === 1;
    if (!isOurs || (stats.mode & 0o077) !== 0 || stats.size > mostBytes) return undefined;
    return readFileSync(fd, "utf8");
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** All that may decide what these programs can do for this process. Undefined where the system does not tell. */
function here(programs: NamespacePrograms): object | undefined {
  const files = [programs.program, ...(programs.level === "unshare" ? [programs.perl] : [])];
  try {
    return {
      haft: listOwnFiles().map((file) => [file, ...identity(file)]),
      node: [process.version, process.arch],
      kernel: [release(), read("/proc/sys/kernel/random/boot_id")],
      programs: files.map((file) => [file, ...identity(file)]),
      user: [process.geteuid?.(), process.getegid?.(), process.getgroups?.()],
      namespaces: ["user", "mnt", "pid", "net", "cgroup"].map((name) =>
        readlinkSync(`/proc/self/ns/${name}`),
      ),
      rights: read("/proc/self/status").match(/^(Cap\w+|NoNewPrivs|Seccomp\w*):.*$/gm),
      label: tryRead("/proc/self/attr/current"),
      settings: settings.map(tryRead),
    };
  } catch {
    return undefined;
  }
}

/**
 * The files beside this module's source, and the file that runs. The name of a built file has a hash of its code and of
 * all that it imports.
 */
function listOwnFiles(): string[] {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  return [...readdirSync(folder).map((name) => join(folder, name)), import.meta.filename];
}

/** Another file there, or the same one changed, has another. */
function identity(path: string): string[] {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].map(String);
}

const settings = [
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];

function read(path: string): string {
  return readFileSync(path, "utf8");
}

/** Not every kernel has it. */
function tryRead(path: string): string | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}
