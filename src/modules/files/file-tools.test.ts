import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";
import { ToolExecutor, ToolRegistry, toJsonSchema } from "../../kernel/index.ts";
import { fileTools } from "./file-tools.ts";

test("fileTools() gives two vocabularies, and undo beside them", () => {
  using bench = new FileBench();
  const { workspace, artifacts, changes } = bench;
  const { coding, task, undo } = fileTools({ workspace, artifacts, changes });
  expect(coding.map(({ name }) => name)).toEqual(["read", "write", "edit", "glob", "grep", "listdir"]);
  expect(task.map(({ name }) => name)).toEqual([
    "read_file",
    "write_file",
    "list_files",
    "delete_file",
    "move_file",
    "get_file_info",
    "edit_file",
    "grep_files",
  ]);
  expect(undo.name).toBe("undo_changes");
});

test("fileTools() describes every parameter of every tool, and says what it requires", () => {
  using bench = new FileBench();
  const required: Record<string, unknown> = {};
  for (const [name, tool] of bench.tools) {
    const schema = toJsonSchema(tool.parameters) as {
      properties: Record<string, { description?: string }>;
      required?: string[];
    };
    for (const property of Object.values(schema.properties)) expect(property.description).toMatch(/\.$/);
    required[name] = { parameters: Object.keys(schema.properties), required: schema.required };
  }
  expect(required).toMatchInlineSnapshot(`
    {
      "delete_file": {
        "parameters": [
          "path",
          "recursive",
        ],
        "required": [
          "path",
        ],
      },
      "edit": {
        "parameters": [
          "path",
          "old_string",
          "new_string",
          "replace_all",
        ],
        "required": [
          "path",
          "old_string",
          "new_string",
        ],
      },
      "edit_file": {
        "parameters": [
          "path",
          "edits",
          "old_string",
          "new_string",
          "replace_all",
        ],
        "required": [
          "path",
        ],
      },
      "get_file_info": {
        "parameters": [
          "path",
        ],
        "required": [
          "path",
        ],
      },
      "glob": {
        "parameters": [
          "pattern",
          "path",
          "gitignore",
        ],
        "required": [
          "pattern",
        ],
      },
      "grep": {
        "parameters": [
          "pattern",
          "path",
          "type",
          "glob",
          "output_mode",
          "context",
          "-C",
          "case_insensitive",
          "literal",
          "multiline",
          "max_results",
          "gitignore",
        ],
        "required": [
          "pattern",
        ],
      },
      "grep_files": {
        "parameters": [
          "pattern",
          "path",
          "include",
          "max_results",
          "context",
          "case_insensitive",
          "gitignore",
        ],
        "required": [
          "pattern",
        ],
      },
      "list_files": {
        "parameters": [
          "path",
          "recursive",
          "pattern",
        ],
        "required": undefined,
      },
      "listdir": {
        "parameters": [
          "path",
          "recursive",
        ],
        "required": [
          "path",
        ],
      },
      "move_file": {
        "parameters": [
          "from",
          "to",
        ],
        "required": [
          "from",
          "to",
        ],
      },
      "read": {
        "parameters": [
          "path",
          "limit",
          "offset",
        ],
        "required": [
          "path",
        ],
      },
      "read_file": {
        "parameters": [
          "path",
          "encoding",
          "offset",
          "limit",
        ],
        "required": [
          "path",
        ],
      },
      "undo_changes": {
        "parameters": [
          "call_id",
        ],
        "required": [
          "call_id",
        ],
      },
      "write": {
        "parameters": [
          "path",
          "content",
        ],
        "required": [
          "path",
          "content",
        ],
      },
      "write_file": {
        "parameters": [
          "path",
          "content",
          "encoding",
        ],
        "required": [
          "path",
          "content",
        ],
      },
    }
  `);
});

test("the file tools pass the gate: reading inside runs, deleting and the outside ask, and a refusal changes nothing", async () => {
  using bench = new FileBench();
  const registry = new ToolRegistry();
  registry.registerMany([...bench.tools.values()]);
  const executor = new ToolExecutor(registry);
  const context = { allowedPaths: [bench.root] };
  writeFileSync(bench.path("file"), "former");
  expect(await executor.execute("read", { path: "file" }, context)).toMatchObject({
    success: true,
    result: "former",
  });
  expect(
    await executor.execute(
      "edit",
      { path: "file", old_string: "former", new_string: "new" },
      { ...context, callId: "c1" },
    ),
  ).toMatchObject({ success: true });
  expect(await executor.execute("delete_file", { path: "file" }, context)).toMatchObject({
    success: false,
    code: "TOOL_PERMISSION",
  });
  expect(await executor.execute("read", { path: "/etc/hostname" }, context)).toMatchObject({
    success: false,
    code: "TOOL_PERMISSION",
  });
  expect(await executor.execute("read", { path: "file" }, {})).toMatchObject({
    success: false,
    code: "PATH_NO_BASE",
  });
  expect(await executor.execute("undo_changes", { call_id: "c1" }, context)).toMatchObject({
    success: true,
    result: { restored: [bench.path("file")] },
  });
  expect(await executor.execute("undo_changes", { call_id: "none" }, context)).toMatchObject({
    success: false,
    code: "UNDO_UNKNOWN",
  });
  expect(readFileSync(bench.path("file"), "utf8")).toBe("former");
});

test("a person's yes lets the file tools do just that outside", async () => {
  using bench = new FileBench();
  const registry = new ToolRegistry();
  registry.registerMany([...bench.tools.values()]);
  const asked: unknown[] = [];
  const executor = new ToolExecutor(registry, {
    approver: {
      identity: "owner:ada",
      ask: (approval) => {
        asked.push(approval.effects);
        return Promise.resolve({ approved: true, by: "owner:ada" });
      },
    },
  });
  const target = `${bench.outside}/file`;
  const result = await executor.execute(
    "write_file",
    { path: target, content: "x" },
    { allowedPaths: [bench.root] },
  );
  expect(result).toMatchObject({ success: true, result: { bytesWritten: 1 } });
  expect(asked).toEqual([[{ kind: "write", target, within: false }]]);
  expect(readFileSync(target, "utf8")).toBe("x");
});

test("two edits of one file at a time both hold", async () => {
  using bench = new FileBench();
  const registry = new ToolRegistry();
  registry.registerMany([...bench.tools.values()]);
  const executor = new ToolExecutor(registry, { maxConcurrent: 8 });
  writeFileSync(bench.path("file"), Array.from({ length: 20 }, (_, at) => `<${at}>`).join("\n"));
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      executor.execute(
        "edit",
        { path: "file", old_string: `<${at}>`, new_string: `done ${at}` },
        { allowedPaths: [bench.root] },
      ),
    ),
  );
  expect(results.map(({ success }) => success)).not.toContain(false);
  expect(readFileSync(bench.path("file"), "utf8")).toBe(
    Array.from({ length: 20 }, (_, at) => `done ${at}`).join("\n"),
  );
});
