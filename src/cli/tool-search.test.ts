import { expect, test } from "vitest";
import { defineTool, type JsonSchema } from "../kernel/index.ts";
import { searchTools } from "./tool-search.ts";

const tools = [
  tool("read_file", "Read the lines of a text file.", { path: { type: "string" } }),
  tool("grep_files", "Search files for a regular expression.", { pattern: { type: "string" } }),
  tool("http_get", "Fetch a page.", {
    url: { type: "string", description: "The address of the file to read" },
  }),
  tool("sleep", "Wait.", {}),
];

function tool(name: string, description: string, properties: JsonSchema) {
  return defineTool({ name, description, parameters: { type: "object", properties }, execute: () => "" });
}

function search(query: string): string[] {
  return searchTools(query, tools, (name) => tools.find((one) => one.name === name)?.parameters).map(
    (found) => found.tool.name,
  );
}

test("searchTools() ranks a word in the name over one in the description, and leaves out what is far off", () => {
  expect(search("read file")).toEqual(["read_file", "grep_files"]);
  expect(search("search lines")).toEqual(["grep_files", "read_file"]);
});

test("searchTools() finds the beginning of a word, whatever its case", () => {
  expect(search("REG")).toEqual(["grep_files"]);
  expect(search("addr")).toEqual(["http_get"]);
  expect(search("url")).toEqual(["http_get"]);
});

test("searchTools() finds nothing where no word is shared", () => {
  expect(search("calendar")).toEqual([]);
  expect(search("")).toEqual([]);
  expect(search("??")).toEqual([]);
  expect(search("what is in the")).toEqual([]);
});
