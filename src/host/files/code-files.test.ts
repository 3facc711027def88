import { expect, test } from "vitest";
import { decideEffect } from "../../../test/support/decide-effect.ts";
import { defaultRules, PermissionPolicy } from "../../kernel/index.ts";
import { codeFileRules } from "./code-files.ts";

const policy = new PermissionPolicy([
  ...defaultRules,
  { decision: "allow", effect: "write", target: "/**" },
  ...codeFileRules,
]);

test("codeFileRules ask before what the owner's programs run is written, whatever else allows it", () => {
  const code = [
    "/w/.git/hooks/pre-commit",
    "/w/.git/hooks",
    "/w/.git/config",
    "/w/.git/modules/lib/hooks/post-checkout",
    "/w/.git",
    "/w/sub/.git/info/attributes",
    "/w/.GIT/hooks/pre-commit",
    "/w/.husky/pre-push",
    "/home/ada/.bashrc",
    "/home/ada/.zshenv",
    "/home/ada/.config/fish/config.fish",
    "/home/ada/.gitconfig",
    "/w/.envrc",
    "/w/.vscode/tasks.json",
    "/w/.VSCode/settings.json",
    "/w/.vscode",
    "/w/.idea/runConfigurations/a.xml",
    "/w/a.code-workspace",
    "/w/.mcp.json",
    "/w/.cursor/mcp.json",
    "/w/.claude/settings.json",
    "/w/.claude/commands/a.md",
    "/w/agent/tools/a.md",
    "/w/agent/hooks/pre.sh",
    "/w/agent/extensions",
    "/w/space.manifest.json",
    "/w/.github/workflows/ci.yml",
    "/w/.gitlab-ci.yml",
    "/w/Jenkinsfile",
    "/w/.cargo/config.toml",
    "/w/.yarnrc.yml",
  ];
  expect(code.filter((path) => decideEffect(policy, "write", path) !== "ask")).toEqual([]);
  expect(code.filter((path) => decideEffect(policy, "read", path) !== "allow")).toEqual([]);
});

test("codeFileRules leave the work of a project alone", () => {
  const ordinary = [
    "/w/src/main.ts",
    "/w/package.json",
    "/w/Makefile",
    "/w/.gitignore",
    "/w/.github/CODEOWNERS",
    "/w/.github/ISSUE_TEMPLATE/bug.md",
    "/w/tools/agent.ts",
    "/w/src/agent/tool.ts",
    "/w/docs/mcp.md",
    "/w/profile",
    "/w/git/hooks/a",
    "/w/.cargo/registry/a",
    "/w",
  ];
  expect(ordinary.filter((path) => decideEffect(policy, "write", path) !== "allow")).toEqual([]);
});

test("codeFileRules let no answer last beyond a session", () => {
  expect(new Set(codeFileRules.map(({ decision, remember }) => `${decision} ${remember}`))).toEqual(
    new Set(["ask session"]),
  );
});
