import { spawn } from "node:child_process";
import { devNull } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { lookForProgram } from "../sandbox/find-program.ts";

/** One run of git over a shadow repository. */
export interface GitRun {
  /** The shadow repository. */
  readonly repository: string;
  /** Folder whose snapshots it stores. */
  readonly folder: string;
  /** The git program, absolute. */
  readonly program: string;
  /** Folder of objects to use instead of the shadow repository's own. */
  readonly objects?: string;
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly maxMs: number;
}

/** A run of git that failed or took too long. */
export class GitFailure extends Error {
  readonly timedOut: boolean;

  constructor(message: string, timedOut: boolean) {
    super(message);
    this.name = "GitFailure";
    this.timedOut = timedOut;
  }
}

const maxComplaint = 1000;

/**
 * Settings of every shadow repository. None of them comes from the project: git reads the shadow
 * repository's own configuration alone, and `diff.ignoreSubmodules` keeps it from starting git in a repository below.
 */
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.autocrlf=false",
  "core.protectNTFS=false",
  "core.looseCompression=1",
  "diff.ignoreSubmodules=all",
  "gc.auto=0",
].flatMap((setting) => ["-c", setting]);

/**
 * Runs git over a shadow repository with an environment of its own: no configuration of the user or the system, no
 * hooks, no filters. Returns all of its output. Rejects with {@link GitFailure}, or the signal's reason.
 */
export async function runGit(args: readonly string[], run: GitRun): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of streamGit(args, run)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Streams the output of git; otherwise like {@link runGit}. */
export async function* streamGit(args: readonly string[], run: GitRun): AsyncGenerator<Buffer, void> {
  run.signal?.throwIfAborted();
  const child = spawn(run.program, [...settings, ...args], {
    cwd: run.folder,
    env: environmentFor(run),
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const stopped = { timedOut: false };
  const timer = setTimeout(() => {
    stopped.timedOut = true;
    child.kill("SIGKILL");
  }, run.maxMs);
  const cancel = () => void child.kill("SIGKILL");
  run.signal?.addEventListener("abort", cancel, { once: true });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (complaint.length < maxComplaint) complaint = (complaint + chunk.toString()).slice(0, maxComplaint);
  });
  // Told by its exit code.
  child.stdin.on("error", () => {});
  child.stdin.end(run.input ?? "");
  const ended = new Promise<number | null | Error>((resolve) => {
    child.once("error", resolve);
    child.once("close", resolve);
  });
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const end = await ended;
    run.signal?.throwIfAborted();
    if (end !== 0)
      throw new GitFailure(describeEnd(end, complaint, run.maxMs, stopped.timedOut), stopped.timedOut);
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener("abort", cancel);
    child.kill("SIGKILL");
  }
}

/** Starts git detached: it continues after haft ends. */
export function startGit(
  args: readonly string[],
  run: Pick<GitRun, "repository" | "folder" | "program">,
): void {
  const child = spawn(run.program, [...settings, ...args], {
    cwd: run.folder,
    env: environmentFor(run),
    stdio: "ignore",
    detached: true,
    windowsHide: true,
  });
  child.on("error", () => {}); // What it was to do is done another day.
  child.unref();
}

function describeEnd(
  end: number | null | Error,
  complaint: string,
  maxMs: number,
  timedOut: boolean,
): string {
  if (timedOut) return `it takes longer than ${maxMs / 1000} s`;
  if (end instanceof Error) return `git can't be started: ${end.message}`;
  const [line = ""] = complaint.trim().split("\n");
  return line === "" ? `git ended with ${end}` : `git says: ${line}`;
}

function environmentFor({
  repository,
  folder,
  objects,
}: Pick<GitRun, "repository" | "folder" | "objects">): Record<string, string> {
  return {
    GIT_DIR: repository,
    ...(objects !== undefined && { GIT_OBJECT_DIRECTORY: objects }),
    GIT_WORK_TREE: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    HOME: repository,
    XDG_CONFIG_HOME: repository,
    LC_ALL: "C",
    PATH: usualFolders.join(delimiter),
  };
}

/** System folders in which git is looked for first. */
const usualFolders = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];

/** Finds this machine's git, never one inside the project; undefined if there is none. */
export function findGit(
  path: string | undefined,
  isOfProject: (file: string) => boolean,
): string | undefined {
  const folders = [...usualFolders, ...(path ?? "").split(delimiter).filter(isAbsolute)];
  for (const folder of folders) {
    const found = lookForProgram("git", folder);
    if (found !== undefined && !isOfProject(found)) return found;
  }
  return undefined;
}
