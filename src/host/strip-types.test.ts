import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { stripTypes } from "./strip-types.ts";

test("stripTypes() leaves each place where it was, and says where a text is no TypeScript", () => {
  expect(stripTypes("const a: number = 1;")).toBe("const a         = 1;");
  const fault = (text: string) => {
    try {
      return stripTypes(text);
    } catch (error) {
      return (error as Error).stack?.split("\n")[0];
    }
  };
  expect(fault("1;\nconst = 2;")).toBe(":2");
  expect(fault("1;\n\nenum Kind { A }")).toBe(":3");
});

test("stripTypes() prints no warning, and other warnings are shown", () => {
  const url = JSON.stringify(new URL("strip-types.ts", import.meta.url).href);
  const program = `const { stripTypes } = await import(${url}); stripTypes("1"); process.emitWarning("Mind the gap");`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  expect(stderr).toContain("Mind the gap");
  expect(stderr).not.toContain("experimental");
});
