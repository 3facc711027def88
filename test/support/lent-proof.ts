import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { Home } from "../../src/app/home.ts";
import { forThisMachine } from "./machine-settings.ts";

/**
 * Prepares a home for this machine: with the settings that it needs for commands to run at all, and the proof of what
 * the sandbox holds, if a home before it in the run has made one; it may give its own to those after it. A proof names all
 * that it depends on: where it is not true, it is made anew.
 */
export function lendProof(folder: string, form: "source" | "built" = "source"): void {
  // A proof names the files of the haft that made it.
  const proof = join(inject("runFolder"), `proof-${form}.json`);
  const { sandboxProof, config } = new Home(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const settings = forThisMachine("");
  if (settings !== "") writeFileSync(config, settings);
  if (existsSync(proof)) {
    copyFileSync(proof, sandboxProof);
    return;
  }
  onTestFinished(() => {
    if (!existsSync(sandboxProof) || existsSync(proof)) return;
    const staged = `${proof}.${process.pid}`;
    copyFileSync(sandboxProof, staged);
    renameSync(staged, proof);
  });
}
