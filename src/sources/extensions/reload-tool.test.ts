import { expect, test } from "vitest";
import { notTrusted } from "../problems.ts";
import { reloadTool } from "./reload-tool.ts";

test("extension_reload says that a file is not trusted, and names no command that trusts it", async () => {
  const problem = { ...notTrusted("/w/agent/extensions/a.ts"), code: "SOURCE_NOT_TRUSTED" } as const;
  const other = { ...problem, code: "SOURCE_UNREADABLE", message: "Cannot read it" } as const;
  const reload = async () => ({ extensions: [], skills: [], problems: [problem, other] });
  const said = await reloadTool(reload).execute({} as never, undefined as never);
  expect(JSON.stringify(said)).not.toMatch(/haft [a-z]|`/);
  expect(said).toMatchObject({
    problems: [{ message: expect.stringContaining("its owner has to read it and trust it") }, other],
  });
});
