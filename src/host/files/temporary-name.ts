import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { readState } from "../process/tree.ts";

/** What a name says of the process that made the file. */
interface Writer {
  /** Digest that stands for the machine, since it was started, and its table of processes. */
  readonly machine: string;
  readonly pid: number;
  /** When the process started, as the machine counts; 0 where it does not tell. */
  readonly startedAt: string;
}

const day = 86_400_000;
const nameForm = /^\.haft-([0-9a-f]{8})-([1-9]\d{0,8})-(\d{1,20})-[0-9a-f]{16}\.tmp$/;
/** Names of earlier versions, which say nothing of their writer. */
const formerNameForm = /^\.haft-[0-9a-f]{16}\.tmp$/;

let own: Writer | undefined;

/** A new name for a file that is renamed when it is whole. It tells who writes, so that nobody else's is removed. */
export function makeTemporaryName(): string {
  own ??= describeSelf();
  const random = randomBytes(8).toString("hex");
  return `.haft-${own.machine}-${own.pid}-${own.startedAt}-${random}.tmp`;
}

/** Whether a name is one that {@link makeTemporaryName} made, here or in an earlier version. */
export function isTemporaryName(name: string): boolean {
  return nameForm.test(name) || formerNameForm.test(name);
}

/**
 * Whether nobody writes the file of this name any more: its process is gone. Where that can't be told, since the name is
 * of another machine, another container, an earlier start of this one, or an earlier version: it is a day old.
 */
export function isAbandonedName(name: string, changedAt: number, now: number = Date.now()): boolean {
  const [, machine, pid, startedAt] = nameForm.exec(name) ?? [];
  own ??= describeSelf();
  if (machine === own.machine) return !isRunning(Number(pid), startedAt as string);
  return isTemporaryName(name) && now - changedAt > day;
}

function describeSelf(): Writer {
  const facts = [hostname(), process.platform, tryTo(readBoot), tryTo(readTable)];
  const machine = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 8);
  return { machine, pid: process.pid, startedAt: readState(process.pid)?.startedAt ?? "0" };
}

const readBoot = () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
/** Containers count their processes anew. */
const readTable = () => readlinkSync("/proc/self/ns/pid");

/** A process that ended, but was not waited for by its parent, writes no more. */
function isRunning(pid: number, startedAt: string): boolean {
  const state = readState(pid);
  if (state !== undefined) return state.startedAt === startedAt && !state.ended;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function tryTo(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
