import { spawn } from "node:child_process";

/** The text is an argument of its own: nothing in it means anything to a program or a script. */
const notifiers: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: [
    "osascript",
    "-e",
    "on run texts",
    "-e",
    "display notification (item 2 of texts) with title (item 1 of texts)",
    "-e",
    "end run",
    "--",
  ],
  linux: ["notify-send", "--app-name=haft", "--"],
};

/** Shows a notification on the user's desktop; false where there is nothing to show it with. */
export function notifyDesktop(title: string, text: string): Promise<boolean> {
  const [program, ...args] = notifiers[process.platform] ?? [];
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, title, text], { stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}
