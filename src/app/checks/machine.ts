import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getErrorMessage } from "../../base/index.ts";
import {
  keepsPromises,
  type LimitsReport,
  Sandbox,
  type SandboxLevel,
  type SandboxReport,
  UndoFolder,
  Workspace,
} from "../../host/index.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const leastNode = [22, 19] as const;

export function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = leastNode;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor))
    return ok("node", process.versions.node);
  return failed("node", process.versions.node, `install Node ${leastNode.join(".")} or newer`);
}

/** Runs a canary in each level of isolation. @param atLeast what the configuration asks for */
export async function checkSandbox(atLeast?: SandboxLevel): Promise<Finding> {
  const sandbox = new Sandbox(atLeast === undefined ? {} : { atLeast });
  try {
    return toFinding(await sandbox.report());
  } finally {
    await sandbox.close();
  }
}

function toFinding({ level, sufficient, limits, detail, remedy }: SandboxReport): Finding {
  const better = remedy ?? "use another machine for calls that run commands";
  const text = `${level}: ${detail}; ${describeLimits(limits)}`;
  if (!sufficient) {
    const orLess = `; or accept less with "sandbox: { atLeast: ${level} }" in the configuration`;
    return warning("isolation", `commands are refused: ${text}`, `${better}${orLess}`);
  }
  return keepsPromises(level) ? ok("isolation", text) : warning("isolation", text, better);
}

/** What bounds a command, and what does not. */
function describeLimits(limits: LimitsReport): string {
  const names: Readonly<Record<keyof LimitsReport, string>> = {
    memory: "memory",
    processes: "processes",
    fileSize: "size of files",
    temporary: "temporary files",
  };
  const all = Object.entries(names) as [keyof LimitsReport, string][];
  const held = all
    .filter(([key]) => limits[key] !== "none")
    .map(
      ([key, name]) =>
        `${name} (${key === "memory" && limits[key] === "rlimit" ? "each process" : limits[key]})`,
    );
  const open = all.filter(([key]) => limits[key] === "none").map(([, name]) => name);
  const bounded = held.length === 0 ? "nothing is limited" : `limited: ${held.join(", ")}`;
  return open.length === 0 || held.length === 0 ? bounded : `${bounded}; not limited: ${open.join(", ")}`;
}

const sought = "haft looks for this line";

/** Has ripgrep find a line in a file. */
export async function checkRipgrep(signal: AbortSignal): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), "haft-doctor-"));
  try {
    writeFileSync(join(folder, "canary.txt"), `${sought}\n`);
    const workspace = new Workspace({ undo: new UndoFolder(join(folder, "undo")) });
    const { matches } = await workspace.search(
      folder,
      { allowedPaths: [folder], effects: [], signal },
      {
        pattern: sought,
        literal: true,
        ignoreCase: false,
        multiline: false,
        include: undefined,
        type: undefined,
        exclude: [],
        gitignore: false,
        context: 0,
        maxMatches: 1,
        maxLineChars: 200,
        maxMs: 10_000,
      },
    );
    if (matches === 1) return ok("ripgrep", "it finds what is there");
    return failed("ripgrep", "it did not find a line that is there", "install haft again");
  } catch (error) {
    return failed("ripgrep", getErrorMessage(error), "install haft again, with its optional dependencies");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
