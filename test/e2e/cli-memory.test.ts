import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "./cli-process.ts";

test("haft memory keeps what it is told, finds it, and takes it to another installation", async () => {
  const [here, there] = [new Place(), new Place()];
  const done = { exitCode: 0, stderr: "" };
  const added = await here.run(["memory", "add", "--label", "rules", "--tier", "core"], "be kind\n");
  expect(added).toMatchObject(done);
  expect(await here.run(["memory", "add", "Ada lives in Paris", "--name", "Ada"])).toMatchObject(done);
  const found = await here.run(["memory", "search", "where", "does", "Ada", "live", "--mode", "words"]);
  expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("\n   Ada lives in Paris\n") });

  const file = join(here.folder, "all.jsonl");
  expect(await here.run(["memory", "export", file])).toMatchObject(done);
  const text = readFileSync(file, "utf8");
  const imported = await there.run(["memory", "import", "-", "--trusted"], text);
  expect(imported).toEqual({
    exitCode: 0,
    stdout: "standard input: 2 new, 0 changed, 0 the same\n",
    stderr: "",
  });
  expect((await there.run(["memory", "export"])).stdout).toBe(text);
});
