import { spawn } from "node:child_process";

/**
 * Opens a file in an editor that has the terminal to itself. Resolves, once it is closed, with what it left with: 0
 * where all is well.
 *
 * @param command as `$EDITOR` has it: with the arguments that it may hold
 */
export function openInEditor(command: string, file: string): Promise<number | string> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code ?? signal ?? "nothing"));
  });
}
