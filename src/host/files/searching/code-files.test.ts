import { expect, test } from "vitest";
import { decideEffect } from "../../../../test/support/decide-effect.ts";
import { defaultRules, PermissionPolicy } from "../../../kernel/index.ts";
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

/** The columns of rules, MCP configuration, skills and subagents in Ruler's table of agents. */
const agentFiles =
  ".mcp.json .claude/skills/a.md .github/agents/a.md .claude/agents/a.md .codex/config.toml .agents/skills/a.md .codex/agents/a.toml " +
  ".pi/skills/a.md .cursor/mcp.json .cursor/skills/a.md .cursor/agents/a.md .windsurf/mcp_config.json .windsurf/skills/a.md " +
  ".crush.json .agent/rules/ruler.md .agent/skills/a.md .amazonq/rules/ruler_q_rules.md .amazonq/mcp.json .aider.conf.yml " +
  ".idx/airules.md .idx/mcp.json .openhands/microagents/repo.md .gemini/settings.json .gemini/skills/a.md .junie/guidelines.md " +
  ".junie/mcp/mcp.json .junie/skills/a.md .augment/rules/ruler_augment_instructions.md .kilocode/mcp.json opencode.json " +
  ".opencode/skills/a.md .qwen/settings.json .roo/mcp.json .roo/skills/a.md .zed/settings.json .trae/rules/project_rules.md " +
  ".kiro/steering/ruler_kiro_instructions.md .kiro/settings/mcp.json firebender.json .factory/mcp.json .factory/skills/a.md " +
  ".vibe/config.toml .vibe/skills/a.md .aiassistant/rules/AGENTS.md";

/** The files of build machines in SchemaStore's catalogue, and of machines that it does not have. */
const buildFiles =
  "appveyor.yml azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml bitrise.yml bitrise.yaml bitrise.json .build.yml " +
  "bxci.yaml .circleci/config.yml .cirrus.yml codemagic.yaml codemagic.yml codeship-services.yml codeship-steps.yml vercel.json " +
  ".drone.yml devfile.yaml .devfile.yaml .github/workflows/a.yml a.gitlab-ci.yml .gitlab-ci.yml .gitpod.yml jenkins-x-a.yml " +
  ".pre-commit-config.yml .pre-commit-config.yaml .pre-commit-hooks.yaml replit.toml rust-toolchain.toml .travis.yml .vela.yml " +
  ".vela.yaml .zuul.d/a.yaml zuul.d/a.yaml .zuul.yaml .woodpecker/a/b.yml .woodpecker.yml .kode/a.yaml .jfrog-pipelines/a/b.yml " +
  ".gitea/workflows/a.yml .forgejo/workflows/a.yml .semaphore/semaphore.yml .appveyor.yml cloudbuild.yaml cloudbuild-dev.json " +
  "buildspec.yml .buildkite/pipeline.yml wercker.yml shippable.yml .scrutinizer.yml Jenkinsfile Jenkinsfile.release .tekton/a.yaml " +
  "netlify.toml .readthedocs.yaml screwdriver.yaml .builds/a.yml";

const otherFiles =
  ".hg/hgrc .helix/languages.toml .helix/config.toml .config/helix/config.toml .Rprofile .pdbrc .pdbrc.py .ghci .ocamlinit .irbrc " +
  ".pryrc .psqlrc .sqliterc .iex.exs .lldbinit .lldbinit-python .gdbinit .exrc .nvim.lua .luarc.json .bsp/sbt.json .vs/tasks.vs.json " +
  ".nova/Tasks/a.json lint-staged.config.mjs .lintstagedrc.json simple-git-hooks.json lefthook.toml lefthook-local.yml .overcommit.yml " +
  ".devcontainer/devcontainer.json mise.local.toml .tool-versions .envrc .direnvrc devenv.nix bunfig.toml .bundle/config .mvn/extensions.xml " +
  "gradle/wrapper/gradle-wrapper.properties .bazelrc pip.conf .config/pip/pip.conf sitecustomize.py Directory.Build.targets .tmux.conf " +
  ".config/gh/config.yml .curlrc .wgetrc .mailcap node_modules/.bin/ls .venv/bin/python .cargo/bin/ls .local/bin/ls .xsessionrc";

test("codeFileRules know the files of published lists, and those beside them", () => {
  const names = [agentFiles, buildFiles, otherFiles].flatMap((list) => list.split(" "));
  expect(names.filter((name) => decideEffect(policy, "write", `/w/${name}`) !== "ask")).toEqual([]);
  expect(names.filter((name) => decideEffect(policy, "write", `/w/sub/${name}`) !== "ask")).toEqual([]);
});

test("codeFileRules ask before data from outside becomes the instructions of an agent, and only then", () => {
  const instructions =
    "AGENTS.md CLAUDE.md sub/CLAUDE.md GEMINI.md CRUSH.md WARP.md .cursorrules .windsurfrules .clinerules .clinerules/a.md .goosehints " +
    ".github/copilot-instructions.md .github/instructions/a.md skills/a/SKILL.md claude.md";
  for (const name of instructions.split(" ")) {
    expect([name, decideEffect(policy, "write", `/w/${name}`, "untrusted")]).toEqual([name, "ask"]);
    expect([name, decideEffect(policy, "write", `/w/${name}`)]).toEqual([name, "allow"]);
  }
  expect(decideEffect(policy, "write", "/w/README.md", "untrusted")).toBe("allow");
});
