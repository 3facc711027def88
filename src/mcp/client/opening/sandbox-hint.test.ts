import { expect, test } from "vitest";
import { sandboxHint } from "./sandbox-hint.ts";

const server = { name: "files", command: "files-server" };

test.for([
  ["EROFS: read-only file system, open '/b.txt'", "`paths`"],
  ["Error: EACCES: permission denied, mkdir '/x'", "`paths`"],
  ["getaddrinfo ENOTFOUND api.example.com", "`hosts`"],
  ["TypeError: fetch failed", "`hosts`"],
  ["Error: Cannot find module '/home/ada/server.mjs'", "`reads`"],
  ["no such issue", undefined],
])("sandboxHint() of %j names %s", ([said, part]) => {
  const hint = sandboxHint(server, said as string);
  if (part === undefined) expect(hint).toBeUndefined();
  else expect(hint).toContain(part);
});

test("sandboxHint() has nothing to say of a server without walls", () => {
  expect(sandboxHint({ name: "far", url: "https://mcp.example" }, "EROFS")).toBeUndefined();
  expect(sandboxHint({ ...server, unconfined: true }, "EROFS")).toBeUndefined();
});
