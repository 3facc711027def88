import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "./cli-process.ts";

function hello(version: string, share: number): string {
  return `---
id: hello
name: "Hello"
description: "Say hello."
version: "${version}"
share: ${share}
command: echo v${version}
examples: [{ name: says, input: {}, expect: { output: "v${version}" } }]
---
`;
}

test("haft tools shows and tests the versions of a tool in Markdown, each as the file it is", async () => {
  const place = new Place();
  const tools = join(place.folder, "agent", "tools");
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, "hello-1.md"), hello("1", 90));
  writeFileSync(join(tools, "hello-2.md"), hello("2", 10));
  expect(await place.run(["trust", "--yes"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("run as the tool hello, version 2: echo v2\n"),
  });
  expect(await place.run(["tools", "show", "hello"])).toMatchObject({
    stdout: expect.stringContaining("Versions\n  1 (90), 2 (10): "),
  });
  expect(await place.run(["tools", "test", "hello", "--yes"])).toEqual({
    exitCode: 0,
    stdout: "ok      hello@1: says\nok      hello@2: says\n2 of 2 examples passed\n",
    stderr: "",
  });
  writeFileSync(join(tools, "hello-2.md"), hello("2", 20));
  expect(await place.run(["tools", "test", "hello", "--yes"])).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("FAILED  hello@2: not in use (agent/tools/hello-2.md)\n"),
  });
});

test("haft audit lists the calls that a chain made, and says of each which chain that was", async () => {
  const place = new Place();
  writeFileSync(join(place.folder, "a.txt"), "x");
  const steps = [
    { id: "old", tool: "read", arguments: { path: "a.txt" } },
    { id: "new", tool: "write", arguments: { path: "b.txt", content: { $from: "old" } } },
  ];
  expect(await place.run(["call", "run_chain", JSON.stringify({ steps })])).toMatchObject({ exitCode: 0 });
  const listed = JSON.parse((await place.run(["audit", "--json"])).stdout) as {
    toolName: string;
    callId: string;
  }[];
  const findId = (name: string) => listed.find(({ toolName }) => toolName === name)?.callId ?? "";
  const { stdout } = await place.run(["audit", findId("run_chain")]);
  const inner = stdout.slice(stdout.indexOf("It made these calls:\n"));
  expect(inner.indexOf("read, in run_chain")).toBeGreaterThan(0);
  expect(inner.indexOf("write, in run_chain")).toBeGreaterThan(inner.indexOf("read, in run_chain"));
  expect(JSON.parse((await place.run(["audit", findId("run_chain"), "--json"])).stdout)).toMatchObject({
    toolName: "run_chain",
    calls: [findId("read"), findId("write")],
  });
});
