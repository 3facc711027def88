import type { Rule } from "../../../kernel/index.ts";
import { codeFolders, codeNames, codePaths, instructionNames } from "./code-names.ts";

/** Globs over relative paths of files, and of folders with all in them, that programs run by themselves. */
export const codeGlobs: readonly string[] = [
  ...codeNames,
  ...codePaths,
  ...codeFolders,
  ...codeFolders.map((name) => `${name}/**`),
].map((name) => `**/${name}`);

/**
 * Ask before a file is changed that the owner's own programs would run: git hooks, shell start-up files, settings of
 * editors, agents and build machines. What is written there would run later, outside any sandbox. Instructions of agents
 * ask where they would hold data from outside. Put them beside {@link defaultRules}; a rule of the user's own cannot allow what these ask, only an answer can.
 */
export const codeFileRules: readonly Rule[] = [
  ...codeGlobs.map(
    (target): Rule => ({
      decision: "ask",
      effect: "write",
      target,
      reason: "your own programs would run it",
      remember: "session",
      exact: true,
    }),
  ),
  ...instructionNames.map(
    (name): Rule => ({
      decision: "ask",
      effect: "write",
      target: `**/${name}`,
      trust: "untrusted",
      reason: "agents would take data from outside in it for instructions",
      remember: "session",
      exact: true,
    }),
  ),
];
