import type { Rule } from "../../kernel/index.ts";

/** Files that some program of the owner runs, or takes orders from, without being told to: by the last part of a path. */
const codeNames = [
  // Shells read them when they start, or enter a folder.
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".mkshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".inputrc",
  ".envrc",
  ".xprofile",
  ".xinitrc",
  ".xsession",
  // Git runs what its configuration names.
  ".gitconfig",
  ".pre-commit-config.y*ml",
  "lefthook.y*ml",
  ".lefthook.y*ml",
  // Editors and debuggers.
  "*.code-workspace",
  ".vimrc",
  ".exrc",
  ".gvimrc",
  ".nvimrc",
  ".nvim.lua",
  ".emacs",
  ".dir-locals.el",
  ".gdbinit",
  ".lldbinit",
  // Agents and their servers.
  ".mcp.json",
  "mcp.json",
  ".claude.json",
  "claude_desktop_config.json",
  "space.manifest.json",
  // Package managers and tool versions.
  ".yarnrc*",
  ".pnpmfile.cjs",
  "mise.toml",
  ".mise.toml",
  // Machines that build and deploy.
  ".gitlab-ci.y*ml",
  ".travis.y*ml",
  ".drone.y*ml",
  ".woodpecker.y*ml",
  "azure-pipelines*.y*ml",
  "bitbucket-pipelines.y*ml",
  "Jenkinsfile",
  ".devcontainer.json",
];

/** Folders whose every file counts, and the folder itself: another one may be moved into its place. */
const codeFolders = [
  ".git",
  ".husky",
  ".vscode",
  ".idea",
  ".zed",
  ".fleet",
  ".emacs.d",
  ".vim",
  ".claude",
  ".cursor",
  ".codex",
  ".gemini",
  ".windsurf",
  ".continue",
  ".devcontainer",
  ".github/workflows",
  ".github/actions",
  ".circleci",
  ".buildkite",
  ".woodpecker",
  ".config/git",
  ".config/fish",
  ".config/nvim",
  ".config/mise",
  ".config/direnv",
  ".config/autostart",
  ".config/systemd",
  ".config/environment.d",
  ".local/bin",
  ".cargo/bin",
  "Library/LaunchAgents",
  "agent/tools",
  "agent/hooks",
  "agent/extensions",
];

/** `.cargo/config` and the like: a name that only counts in one folder. */
const codePaths = [".cargo/config", ".cargo/config.toml"];

/**
 * Ask before a file is changed that the owner's own programs would run: git hooks, shell start-up files, settings of
 * editors, agents and build machines. What is written there would run later, outside any sandbox. Put them beside
 * {@link defaultRules}; a rule of the user's own cannot allow what these ask, only an answer can.
 */
export const codeFileRules: readonly Rule[] = [
  ...codeNames,
  ...codePaths,
  ...codeFolders,
  ...codeFolders.map((name) => `${name}/**`),
].map((name) => ({
  decision: "ask",
  effect: "write",
  target: `**/${name}`,
  reason: "your own programs would run it",
  remember: "session",
}));
