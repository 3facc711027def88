import { expect, test } from "vitest";
import { createTestExecutor } from "../../test/support/test-executor.ts";
import { defineTool } from "../kernel/index.ts";
import { selectAndCreateTools } from "../search/packs/packs.ts";
import catalogue from "./catalogue.json" with { type: "json" };
import {
  allTaskTools,
  collectionTools,
  mainAgentTools,
  reflectionTools,
  sessionTools,
  toolCollections,
} from "./collections.ts";

const seedNames = `
  current_time sleep get_env set_env
  read_file write_file list_files delete_file move_file get_file_info edit_file grep_files
  http_get http_post http_request web_search
  json_parse json_stringify base64_encode base64_decode
  memory_list memory_read memory_write memory_patch memory_append
  task_list task_replay`
  .trim()
  .split(/\s+/);
const others = ["session_archive_read", "spawn_task", "reply", "secret_store", "bash", "self_deploy"];

function openRegistry(names: readonly string[]) {
  return createTestExecutor(
    names.map((name) =>
      defineTool({ name, description: name, parameters: { type: "object" }, execute: () => name }),
    ),
  );
}

const { registry, executor } = openRegistry([...others, ...seedNames].toSorted());
const listNames = (...given: Parameters<typeof collectionTools>) =>
  collectionTools(...given).map(({ name }) => name);

test("allTaskTools has all its families, and neither spawn_task nor reply", () => {
  expect(listNames(allTaskTools, registry).toSorted()).toEqual(seedNames.toSorted());
  expect(allTaskTools.tools).not.toEqual(expect.arrayContaining(["spawn_task"]));
  expect(allTaskTools.tools).not.toEqual(expect.arrayContaining(["reply"]));
});

test("mainAgentTools has eight: of memory and tasks it only reads", () => {
  expect(listNames(mainAgentTools, registry)).toEqual([
    "current_time",
    "memory_list",
    "memory_read",
    "reply",
    "session_archive_read",
    "task_list",
    "task_replay",
    "spawn_task",
  ]);
});

test("reflectionTools writes memory and omits memory_list", () => {
  expect(listNames(reflectionTools, registry)).toEqual([
    "memory_read",
    "memory_write",
    "memory_patch",
    "memory_append",
  ]);
});

test("sessionTools is session_archive_read", () => {
  expect(listNames(sessionTools, registry)).toEqual(["session_archive_read"]);
});

test("a collection is a pack: it is selected by what a message says", () => {
  const named = (text: string) =>
    selectAndCreateTools(toolCollections, { text }, new Map(), registry).map(({ name }) => name);
  expect(named("read what the session archived")).toContain("session_archive_read");
  expect(named("read what the session archived")).not.toContain("http_get");
});

test("a collection has only tools that are there", () => {
  const { registry: small } = openRegistry(["memory_read", "reply", "sleep"]);
  expect(toolCollections.map((collection) => listNames(collection, small))).toEqual([
    ["sleep", "memory_read"],
    ["memory_read", "reply"],
    ["memory_read"],
    [],
  ]);
});

test("the limits of a collection leave a caller its tools alone", () => {
  const { limits } = reflectionTools;
  expect(
    executor
      .toolset({ limits })
      .usable()
      .map(({ name }) => name),
  ).toEqual(["memory_append", "memory_patch", "memory_read", "memory_write"]);
  expect(executor.toolset({ limits }).of("memory_list").allowed.reasons[0]?.message).toBe(
    "it is not among the allowedTools of the collection reflectionTools",
  );
});

test("allTaskTools has every tool that we ship in its families, in each vocabulary", () => {
  const families = ["coding", "task", "undo", "network", "data", "system"] as const;
  const shipped = families.flatMap((family) => catalogue[family].map(({ name }) => name));
  expect(shipped.length).toBeGreaterThan(28);
  expect(shipped.filter((name) => !allTaskTools.tools.includes(name))).toEqual([]);
  const kept = catalogue.secrets.map(({ name }) => name);
  expect(kept.filter((name) => allTaskTools.tools.includes(name))).toEqual([]);
});
