import { expect, test } from "vitest";
import { sandboxHints } from "./sandbox-hints.ts";

const nothing = { text: "", totalBytes: 0, omittedBytes: 0, lossy: false };

test("sandboxHints() tells what was set aside, of a command that succeeded too", () => {
  const hints = sandboxHints({
    exitCode: 0,
    signal: undefined,
    stdout: nothing,
    stderr: nothing,
    leftBehind: 0,
    remaining: 0,
    confinement: {
      level: "bubblewrap",
      refusedHosts: [],
      failedHosts: [],
      findings: ["haft set aside a hook"],
    },
  });
  expect([...hints]).toEqual(["[haft set aside a hook]"]);
});
