import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Figures } from "../harness.ts";
import { openProgram } from "../program.ts";
import { serveModel } from "./model-server.ts";

const program = fileURLToPath(new URL("parked-process.mjs", import.meta.url));

interface Told {
  readonly mb: number;
  readonly open: number;
  readonly states: readonly string[];
}

/**
 * The memory of a process of the installed package with so many runs that wait, each for an answer to a question about
 * its first call. Nobody answers: they are rows, and none of them has a place of the gate.
 */
export async function measureParked(runs: number): Promise<Figures> {
  using server = await serveModel((before) => ({
    text: "",
    call: { name: "read", input: JSON.stringify({ path: "small.txt", limit: before + 1 }) },
  }));
  const { resolve } = createRequire(openProgram().file);
  const args = [program, resolve("haft/app"), resolve("haft/agent"), server.url, String(runs)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { mb, open, states } = JSON.parse(stdout) as Told;
  if (states.join() !== "parked")
    throw new Error(`Cannot measure parked runs: they are ${states.join(", ")}`);
  return { "MB, the whole process": mb, "open questions": open };
}
