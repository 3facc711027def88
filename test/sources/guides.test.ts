import { chmodSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/kernel/index.ts";
import { readMarkdownTool, runExamples } from "../../src/sources/index.ts";
import { UserTools } from "../support/user-tools.ts";

function findBlock(page: string, language: string): string {
  const text = readFileSync(new URL(`../../docs/guide/${page}`, import.meta.url), "utf8");
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? "";
}

test("the tool of the guide has no problem, and its examples hold", async () => {
  const text = findBlock("markdown-tools.md", "text");
  const { tool, problems } = readMarkdownTool({ path: "count-words.md", text });
  expect(problems).toEqual([]);
  const tools = new UserTools();
  tools.write("agent/tools/count-words.md", text);
  tools.write("notes.txt", "hello\na b; c\nHello\n");
  await tools.markdown.start();
  if (tool === undefined) throw new Error("the guide has no tool");
  const results = await runExamples(
    { name: tool.tool.id, where: tool.path, examples: tool.examples },
    (name, input) => tools.call(name, input),
  );
  expect(results.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined]);
});

test("the variables of the guide are ones that a tool may have", () => {
  const variables = findBlock("markdown-tools.md", "yaml");
  expect(variables).toContain("secret:DEPLOY_TOKEN");
  const text = `---\nid: a\nname: A\ndescription: x\ncommand: ls\nparameters: [{ name: target, type: string }]\n${variables}---`;
  expect(readMarkdownTool({ path: "a.md", text }).problems).toEqual([]);
});

test("the chain of the guide feeds one tool into the next", async () => {
  const tools = new UserTools();
  const parameters = z.record(z.string(), z.string());
  const pageTool = defineTool({
    name: "web_read",
    description: "Read.",
    parameters,
    execute: ({ url }) => `page of ${url}`,
  });
  const write = defineTool({ name: "write", description: "Write.", parameters, execute: (params) => params });
  tools.registry.registerMany([pageTool, write]);
  tools.write("agent/tools/archive-page.md", findBlock("chains.md", "text"));
  await tools.markdown.start();
  expect(tools.markdown.problems()).toEqual([]);
  expect(await tools.call("archive-page", { url: "https://a.example", file: "a.md" })).toMatchObject({
    result: { path: "a.md", content: "page of https://a.example" },
  });
});

test("the manifest of the guide is in order, and its tool runs", async () => {
  const tools = new UserTools();
  tools.write("space.manifest.json", findBlock("space-manifest.md", "json"));
  chmodSync(tools.write("scripts/new-page.sh", '#!/bin/sh\nprintf "<%s>" "$@"\n'), 0o755);
  await tools.manifest.start();
  expect(tools.manifest.problems()).toEqual([]);
  expect((await tools.call("new-page", { title: "One & two" })).text).toBe("<One & two>");
});
