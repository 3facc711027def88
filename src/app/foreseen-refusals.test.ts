import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agreeing, Installation } from "../../test/support/installation.ts";
import { PermissionPolicy, type Tool } from "../kernel/index.ts";
import { builtInRules } from "./policy/rules-in-force.ts";

/** A tool that changes something and names no effect. */
const changing: Tool = {
  name: "changing",
  description: "Change something.",
  category: "system",
  parameters: {},
  annotations: { readOnly: false, openWorld: false },
  version: "1",
  execute: () => "",
};

/** Everything asks; looking at files does not. */
const careful = `permissions:
  - { decision: ask, effect: write }
  - { decision: ask, effect: delete }
  - { decision: ask, effect: run }
  - { decision: ask, effect: connect }
  - { decision: ask, tool: set_env }
  - { decision: ask, tool: "secret_*" }
sandbox: { atLeast: none }
`;

async function open(config = careful) {
  const place = new Installation();
  mkdirSync(join(place.folder, "full"));
  writeFileSync(join(place.folder, "full/one.txt"), "one\none\n");
  writeFileSync(join(place.folder, "there.txt"), "there\n");
  const approver = agreeing();
  const installed = await place.open(config, { profile: "full", approver });
  return { place, approver, installed };
}

describe("a call that can't come off fails before a person is asked", () => {
  test.for<[string, object, string]>([
    ["edit_file", { path: "full/one.txt", old_string: "two", new_string: "2" }, "TEXT_NOT_FOUND"],
    ["edit_file", { path: "full/one.txt", old_string: "one", new_string: "2" }, "TEXT_AMBIGUOUS"],
    ["edit_file", { path: "full/one.txt", old_string: "one", new_string: "one" }, "EDIT_EMPTY"],
    ["edit_file", { path: "none.txt", old_string: "one", new_string: "2" }, "FILE_NOT_FOUND"],
    ["write_file", { path: "new.txt", content: "\u{1f600}", encoding: "latin1" }, "FILE_ENCODING"],
    ["delete_file", { path: "none.txt" }, "FILE_NOT_FOUND"],
    ["delete_file", { path: "full" }, "FOLDER_NOT_EMPTY"],
    ["move_file", { from: "none.txt", to: "other.txt" }, "FILE_NOT_FOUND"],
    ["move_file", { from: "there.txt", to: "full/one.txt" }, "FILE_EXISTS"],
    ["undo_changes", { call_id: "none" }, "UNDO_UNKNOWN"],
    ["bash", { command: "touch x", cwd: "none" }, "PROCESS_FOLDER"],
    ["bash", { command: "touch x", hosts: ["a b"] }, "CONNECT_URL"],
    ["set_env", { key: "PATH", value: "/tmp" }, "ENVIRONMENT_FIXED"],
    ["set_env", { key: "1", value: "x" }, "ENVIRONMENT_NAME"],
    ["set_env", { key: "A", value: "\0" }, "ENVIRONMENT_VALUE"],
    ["secret_store", { key: "no name", value: "long enough" }, "SECRET_NAME"],
    ["secret_store", { key: "TOKEN", value: "short" }, "SECRET_VALUE"],
    ["secret_delete", { key: "NONE" }, "SECRET_UNKNOWN"],
    ["http_get", { url: "https://example.com", headers: { "a b": "c" } }, "CONNECT_HEADER"],
    ["http_post", { url: "https://example.com", headers: { host: "other" } }, "CONNECT_HEADER"],
    ["http_request", { url: "https://example.com", method: "PUT", headers: { a: "\n" } }, "CONNECT_HEADER"],
  ])("%s %j: %s", async ([tool, params, code]) => {
    const { installed, approver } = await open();
    expect(await installed.call(tool, params)).toMatchObject({ success: false, code });
    expect(approver.asked).toEqual([]);
  });

  test("write of a file that was not read; once it was read, the person is asked", async () => {
    const { place, approver } = await open();
    const installed = await place.open(careful, { profile: "coding", approver });
    const write = { path: "there.txt", content: "new" };
    expect(await installed.call("write", write)).toMatchObject({ code: "FILE_NOT_READ" });
    expect(approver.asked).toEqual([]);
    await installed.call("read", { path: "there.txt" });
    expect(await installed.call("write", write)).toMatchObject({ success: true });
    expect(approver.asked).toHaveLength(1);
  });

  test("undo of a file that changed since; of one that did not, the person is asked", async () => {
    const { place, installed, approver } = await open();
    const edit = { path: "full/one.txt", old_string: "one\none", new_string: "two" };
    await installed.call("edit_file", edit, { callId: "edit-1" });
    place.write("project/full/one.txt", "by hand\n");
    expect(approver.asked).toHaveLength(1);
    const undo = { call_id: "edit-1" };
    expect(await installed.call("undo_changes", undo)).toMatchObject({ code: "UNDO_CONFLICT" });
    expect(approver.asked).toHaveLength(1);
    place.write("project/full/one.txt", "two\n");
    expect(await installed.call("undo_changes", undo)).toMatchObject({ success: true });
    expect(approver.asked).toHaveLength(2);
  });

  test("text that is not in a memory block whose changes want a person's yes", async () => {
    const { place, approver } = await open();
    const blocks = `${careful}memory: { vocabularies: [blocks] }\n`;
    const installed = await place.open(blocks, { profile: "full", approver });
    const { memory } = await installed.app.store();
    await memory.edit(
      "local",
      [
        {
          do: "create_block",
          entry: { kind: "block", label: "human", tier: "core", permission: "human", text: "Ada" },
        },
      ],
      { by: "owner:ada" },
    );
    const replace = { operation: "replace", label: "human", old_content: "Bob", new_content: "Eve" };
    expect(await installed.call("block", replace)).toMatchObject({ code: "MEMORY_TEXT_NOT_FOUND" });
    expect(approver.asked).toEqual([]);
    expect(await installed.call("block", { ...replace, old_content: "Ada" })).toMatchObject({
      success: true,
    });
    expect(approver.asked).toHaveLength(1);
  });
});

describe("what may not be looked at unasked is not told of before the answer", () => {
  test("outside the allowed folders the person is asked, whether or not anything is there", async () => {
    const { place, installed, approver } = await open();
    const there = place.write("outside/there.txt", "one\n");
    for (const path of [there, join(place.root, "outside/none.txt")]) {
      await installed.call("delete_file", { path });
      await installed.call("edit_file", { path, old_string: "two", new_string: "2" });
    }
    expect(approver.asked).toHaveLength(4);
  });

  test("of a file whose reading asks, and where a rule denies reading", async () => {
    for (const rule of ["", "  - { decision: deny, effect: read, target: '**/.env' }\n"]) {
      const { installed, approver } = await open(careful.replace("sandbox", `${rule}sandbox`));
      await installed.call("edit_file", { path: ".env", old_string: "two", new_string: "2" });
      await installed.call("delete_file", { path: ".env" });
      expect(approver.asked).toHaveLength(2);
    }
  });
});

describe("what needs no question at every call", () => {
  test("set_env of a harmless variable does not ask, of one that says where commands connect it does", async () => {
    const { installed, approver } = await open("sandbox: { atLeast: none }");
    expect(await installed.call("set_env", { key: "TZ", value: "UTC" })).toMatchObject({ success: true });
    expect(await installed.call("set_env", { key: "GREETING", value: "hello" })).toMatchObject({
      success: true,
    });
    expect(approver.asked).toEqual([]);
    await installed.call("set_env", { key: "https_proxy", value: "http://127.0.0.1:1" });
    await installed.call("set_env", { key: "GREETING", value: "hello" }, { trust: "untrusted" });
    expect(approver.asked.map(({ params }) => params)).toMatchObject([
      { key: "https_proxy" },
      { key: "GREETING" },
    ]);
    expect(await installed.call("set_env", { key: "TZ", value: "UTC" }, { mode: "plan" })).toMatchObject({
      code: "TOOL_PERMISSION",
    });
  });

  test("extension_reload does not ask", () => {
    const tool = { ...changing, name: "extension_reload", origin: "haft" };
    const call = { tool, params: {}, effects: [], context: {}, trust: "trusted" } as const;
    expect(new PermissionPolicy(builtInRules([])).decide(call).decision).toBe("allow");
    expect(
      new PermissionPolicy(builtInRules([])).decide({ ...call, tool: { ...tool, origin: "mcp:x" } }).decision,
    ).toBe("ask");
  });
});
