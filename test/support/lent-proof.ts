import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { Home } from "../../src/app/home.ts";

/**
 * Lends a home the proof of what the sandbox holds on this machine, if a home before it in the run has made one; it may
 * give its own to those after it. A proof names all that it depends on: where it is not true, it is made anew.
 */
export function lendProof(folder: string): void {
  const proof = join(inject("runFolder"), "proof.json");
  const { sandboxProof } = new Home(folder);
  if (existsSync(proof)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
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
