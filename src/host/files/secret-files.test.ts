import { expect, test } from "vitest";
import { decideEffect } from "../../../test/support/decide-effect.ts";
import { defaultRules, PermissionPolicy } from "../../kernel/index.ts";
import { secretFileRules } from "./secret-files.ts";

const policy = new PermissionPolicy([...defaultRules, ...secretFileRules]);

test("secretFileRules ask before secrets are read or written, also inside the workspace", () => {
  const secrets = [
    "/home/ada/.env",
    "/home/ada/app/.env.production",
    "/home/ada/.envrc",
    "/home/ada/credentials.json",
    "/home/ada/deploy/credentials",
    "/home/ada/tls/server.key",
    "/home/ada/tls/server.pem",
    "/home/u/.ssh/id_ed25519",
    "/home/u/.ssh/config",
    "/home/u/.ssh",
    "/home/u/.aws/credentials",
    "/home/u/.gnupg/private-keys-v1.d/a",
    "/home/ada/id_rsa",
    "/home/ada/.npmrc",
    "/home/ada/.git-credentials",
    "/.env",
  ];
  expect(secrets.filter((path) => decideEffect(policy, "read", path) !== "ask")).toEqual([]);
  expect(secrets.filter((path) => decideEffect(policy, "write", path) !== "ask")).toEqual([]);
  const allowed = new PermissionPolicy([{ decision: "allow" }, ...secretFileRules]);
  expect(secrets.filter((path) => decideEffect(allowed, "delete", path) !== "ask")).toEqual([]);
});

test("secretFileRules leave ordinary files alone", () => {
  const ordinary = [
    "/home/ada/env.ts",
    "/home/ada/src/credentials.ts",
    "/home/ada/keyboard.ts",
    "/home/ada/README.md",
    "/home/ada/.github/ci.yml",
    "/home/ada/ssh/a",
    "/home/ada",
  ];
  expect(
    ordinary.filter(
      (path) =>
        decideEffect(policy, "read", path) !== "allow" || decideEffect(policy, "write", path) !== "allow",
    ),
  ).toEqual([]);
});

test("secretFileRules let no answer last beyond a session", () => {
  expect(new Set(secretFileRules.map(({ decision, remember }) => `${decision} ${remember}`))).toEqual(
    new Set(["ask session"]),
  );
});
