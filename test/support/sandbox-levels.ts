import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, type TestOptions } from "vitest";
import {
  keepsPromises,
  Sandbox,
  type SandboxLevel,
  type SandboxOptions,
  sandboxLevels,
} from "../../src/host/index.ts";
import { needs } from "./needs.ts";
import { isTemporaryFolderOpen } from "./open-to-all.ts";

/** A sandbox of one level. What holds here is proven once in a run, but for a bubblewrap of the test's own. */
export function openSandbox(level: SandboxLevel, options: SandboxOptions = {}): Sandbox {
  const proofFile = join(inject("runFolder"), `proof-${level}.json`);
  const kept = options.bubblewrap === undefined ? { proofFile } : {};
  return new Sandbox({ atLeast: "none", levels: [level], ...kept, ...options });
}

/** The levels that hold on this machine, for this user. Prints those that do not, so that a skipped test is seen. */
export async function levelsHere(): Promise<SandboxLevel[]> {
  const found = await tryLevels();
  for (const { level, fault } of found)
    if (fault !== undefined) console.warn(`The level ${level} is not tested here: ${fault}`);
  return found.flatMap(({ level, fault }) => (fault === undefined ? [level] : []));
}

/** The strongest level of namespaces here, and the options of tests that need one. */
export async function sandboxHere(): Promise<{
  /** "none" where none does. */
  readonly level: SandboxLevel;
  readonly inSandbox: TestOptions;
}> {
  const level = (await levelsHere()).find((one) => keepsPromises(one, ["own process tree"])) ?? "none";
  return { level, inSandbox: needs("sandbox", level !== "none") };
}

interface Tried {
  readonly level: SandboxLevel;
  /** Why it does not hold. */
  readonly fault?: string;
}

/** Whoever asks first in a run tries them for all. */
async function tryLevels(): Promise<readonly Tried[]> {
  const file = join(inject("runFolder"), "levels.json");
  const known = readIfThere(file);
  if (known !== undefined) return JSON.parse(known) as readonly Tried[];
  const tried: Tried[] = [];
  for (const level of sandboxLevels.filter((one) => one !== "none")) {
    const sandbox = openSandbox(level);
    const report = await sandbox.report();
    await sandbox.close();
    const isShut = level === "other-user" && !isTemporaryFolderOpen();
    const shut = isShut ? "other users may not enter the folder for temporary files" : undefined;
    const fault = report.level === level ? shut : report.detail;
    tried.push({ level, ...(fault !== undefined && { fault }) });
  }
  const staged = `${file}.${process.pid}`;
  writeFileSync(staged, JSON.stringify(tried));
  renameSync(staged, file);
  return tried;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
