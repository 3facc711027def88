import { expect, test } from "vitest";
import { confinedPromises } from "../../host/index.ts";
import type { Effect, ToolContext } from "../../kernel/index.ts";
import { confine, decidedPromises } from "./confinement.ts";

const run: Effect = { kind: "run", target: "touch a", within: false, routine: true };

test.for([
  ["bubblewrap", confinedPromises],
  ["unshare", confinedPromises],
  ["other-user", []],
] as const)("a command decided for the level %s runs at none that keeps it in less", ([level, bound]) => {
  const effects = confine([run], { level, sufficient: true, limits: {}, detail: "" } as never);
  expect(decidedPromises({ effects } as unknown as ToolContext)).toEqual(bound);
});
