import { expect, test } from "vitest";
import { defaultRules, type Effect, PermissionPolicy, type Tool } from "../../kernel/index.ts";
import { secretFileRules } from "./secret-files.ts";

const policy = new PermissionPolicy([...defaultRules, ...secretFileRules]);
const tool: Tool = {
  name: "any",
  description: "any",
  category: "file",
  parameters: {},
  annotations: {},
  version: "1",
  execute: () => "",
};

function decide(kind: Effect["kind"], target: string): string {
  return policy.decide(tool, {}, [{ kind, target, within: true }]).decision;
}

test("secretFileRules ask before secrets are read or written, also inside the workspace", () => {
  const secrets = [
    "/work/.env",
    "/work/app/.env.production",
    "/work/.envrc",
    "/work/credentials.json",
    "/work/deploy/credentials",
    "/work/tls/server.key",
    "/work/tls/server.pem",
    "/home/u/.ssh/id_ed25519",
    "/home/u/.ssh/config",
    "/home/u/.ssh",
    "/home/u/.aws/credentials",
    "/home/u/.gnupg/private-keys-v1.d/a",
    "/work/id_rsa",
    "/work/.npmrc",
    "/work/.git-credentials",
    "/.env",
  ];
  expect(secrets.filter((path) => decide("read", path) !== "ask")).toEqual([]);
  expect(secrets.filter((path) => decide("write", path) !== "ask")).toEqual([]);
});

test("secretFileRules leave ordinary files alone", () => {
  const ordinary = [
    "/work/env.ts",
    "/work/src/credentials.ts",
    "/work/keyboard.ts",
    "/work/README.md",
    "/work/.github/ci.yml",
    "/work/ssh/a",
    "/work",
  ];
  expect(
    ordinary.filter((path) => decide("read", path) !== "allow" || decide("write", path) !== "allow"),
  ).toEqual([]);
});
