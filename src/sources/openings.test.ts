import { expect, test } from "vitest";
import { listOpenings } from "./openings.ts";

test("listOpenings() a chain shows every call that it would make, and with what", () => {
  const file = `---
id: archive
name: Archive
description: Save a page.
version: "2"
steps:
  - { id: page, tool: web_read, arguments: { url: { $from: input/url } } }
  - { id: push, tool: bash, arguments: { command: git push }, after: [page] }
---
`;
  expect(listOpenings("tool", file)).toEqual([
    "make calls as the tool archive, version 2",
    '… page: web_read {"url":{"$from":"input/url"}}',
    '… push: bash {"command":"git push"}',
  ]);
});
