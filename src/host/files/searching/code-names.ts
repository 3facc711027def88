function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}

/**
 * Names of files that some program of the owner runs, or takes orders from, without being told to: globs over the last
 * part of a path. The names of build machines are those of SchemaStore's catalogue (schemastore.org), and those of agents
 * the table of Ruler (github.com/intellectronica/ruler), each with the systems that these leave out.
 */
export const codeNames: readonly string[] = [
  // Shells and terminals read them when they start, or enter a folder.
  ...words(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .zshrc .zshenv .zprofile",
    ".zlogin .zlogout .zimrc .zpreztorc .kshrc .mkshrc .cshrc .tcshrc .login .logout .elvish.rc .xonshrc .xonshrc.py .inputrc",
    "profile.ps1 *.PowerShell_profile.ps1 .envrc .direnvrc .autoenv .autoenv.zsh .xprofile .xinitrc .xserverrc .xsession",
    ".xsessionrc .pam_environment .tmux.conf .screenrc .wezterm.lua .yabairc .skhdrc .lesskey .lessfilter .mailcap",
    ".procmailrc .forward .curlrc .wgetrc",
  ),
  // Keepers of versions, and what they run at a commit.
  ...words(
    ".gitconfig .hgrc .tigrc .pre-commit-config.y*ml .pre-commit-hooks.y*ml prek.toml lefthook.y*ml lefthook.toml lefthook.json",
    ".lefthook.y*ml .lefthook.toml .lefthook.json lefthook-local.* .lefthook-local.* .overcommit.y*ml captainhook.json",
    "grumphp.y*ml .huskyrc* .lintstagedrc* lint-staged.config.* simple-git-hooks.* .simple-git-hooks.*",
  ),
  // Editors and their servers.
  ...words(
    "*.code-workspace *.sublime-project .vimrc .exrc .gvimrc .nvimrc .nvim.lua .exrc.lua .lvimrc .local.vimrc .emacs",
    ".dir-locals.el .dir-locals-2.el .lite_project.lua kakrc .luarc.json .luarc.jsonc .clangd rust-analyzer.toml",
    ".neoconf.json coc-settings.json .spacemacs .ideavimrc",
  ),
  // Debuggers, and interpreters that are talked to.
  ...words(
    ".gdbinit .gdbearlyinit .lldbinit* .pdbrc .pdbrc.py .pythonrc .pythonrc.py .pystartup sitecustomize.py usercustomize.py",
    "ipython_config.py jupyter_*config.py .Rprofile Rprofile.site .Renviron .ghci .ocamlinit .utoprc .sbclrc .eclrc .clisprc",
    ".ccl-init.lisp ccl-init.lisp .guile .racketrc .irbrc .pryrc .byebugrc .rdebugrc .rdbgrc .iex.exs .erlang .juliarc.jl",
    ".octaverc .gnuplot .psqlrc .sqliterc .mongorc.js .mongoshrc.js .duckdbrc .usqlrc .tclshrc .wishrc .perldb .psysh.php",
    ".radare2rc .rizinrc .pwnrc",
  ),
  // Agents, and the servers that they start.
  ...words(
    ".mcp.json mcp.json mcp_config.json .claude.json claude_desktop_config.json opencode.json opencode.jsonc .opencode.json",
    ".crush.json crush.json firebender.json .aider.conf.y*ml .aider.model.settings.y*ml .aider.input.history .roomodes",
    "space.manifest.json",
  ),
  // Package managers and keepers of tool versions: they load plug-ins, or say where programs come from.
  ...words(
    ".yarnrc* .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .gemrc pip.conf .condarc .terraformrc terraform.rc .bazelrc .bazeliskrc",
    ".buckconfig .sbtopts .jvmopts gradle-wrapper.properties maven-wrapper.properties NuGet.Config Directory.Build.props",
    "Directory.Build.targets rust-toolchain rust-toolchain.toml mise.toml .mise.toml mise.*.toml .mise.*.toml .tool-versions",
    "devbox.json devenv.nix .devcontainer.json devfile.y*ml .devfile.y*ml .gitpod.y*ml .gitpod.Dockerfile .replit replit.nix",
    "replit.toml .stackblitzrc",
  ),
  // Machines that build and deploy.
  ...words(
    "*.gitlab-ci.y*ml .travis.y*ml .drone.y*ml .drone.star .drone.jsonnet .woodpecker.y*ml azure-pipelines*.y*ml .vsts-ci.y*ml",
    "bitbucket-pipelines.y*ml Jenkinsfile* jenkins-x*.y*ml appveyor.y*ml .appveyor.y*ml cloudbuild*.y*ml cloudbuild*.json",
    "buildspec*.y*ml .cirrus.y*ml .cirrus.star bitrise.y*ml bitrise.json codemagic.y*ml codeship-*.y*ml .vela.y*ml .zuul.y*ml",
    "zuul.y*ml .build.y*ml bxci.y*ml buddy.y*ml .scrutinizer.y*ml shippable.y*ml .shippable.y*ml wercker.y*ml screwdriver.y*ml",
    ".onedev-buildspec.y*ml .taskcluster.y*ml .packit.y*ml .space.kts *.gocd.y*ml .gocd.y*ml .prow.y*ml .ci-operator.y*ml",
    "codefresh.y*ml .codefresh.y*ml .hound.y*ml .readthedocs.y*ml netlify.toml vercel.json now.json render.y*ml heroku.y*ml",
    "Procfile amplify.y*ml railway.json railway.toml nixpacks.toml .platform.app.y*ml",
  ),
];

/** Folders whose every file counts, and the folder itself: another one may be moved into its place. */
export const codeFolders: readonly string[] = [
  ...words(
    ".git .hg .husky .lefthook .git-hooks .githooks .vscode .vs .idea .zed .fleet .nova .helix .kak .emacs.d .vim .nvim .theia",
    ".externalToolBuilders .bsp .ipython .jupyter .devcontainer .codesandbox .idx .devbox .direnv",
  ),
  // Agents.
  ...words(
    ".claude .cursor .codex .gemini .windsurf .continue .opencode .qwen .roo .kilocode .kiro .amazonq .factory .vibe .junie",
    ".trae .augment .openhands .goose .pi .crush .amp .agent .agents .aiassistant .ruler .copilot",
    "agent/tools agent/hooks agent/extensions .github/agents",
  ),
  // Machines that build and deploy.
  ...words(
    ".github/workflows .github/actions .gitea/workflows .gitea/actions .forgejo/workflows .forgejo/actions .gitlab/ci",
    ".gitlab/agents .circleci .buildkite .woodpecker .drone .semaphore .azure-pipelines .azuredevops .jenkins .teamcity",
    ".tekton .cds .buddy .builds .kode .jfrog-pipelines .zuul.d zuul.d .harness bamboo-specs ci_scripts .platform .upsun",
    ".ebextensions .do .codebahn/workflows",
  ),
  // A home's own.
  ...words(
    ".config/git .config/gh .config/hub .config/lazygit .config/fish .config/zsh .config/bash .config/nushell .config/elvish",
    ".config/xonsh .config/powershell .config/nvim .config/vim .config/emacs .config/helix .config/zed .config/kak .config/micro",
    ".config/mise .config/direnv .config/tmux .config/zellij .config/wezterm .config/kitty .config/ghostty .config/pip",
    ".config/opencode .config/goose .config/crush .config/autostart .config/systemd .config/environment.d .config/hypr",
    ".config/sway .config/i3 .i3 .xmonad .config/xmonad .config/awesome .config/bspwm .config/sxhkd .config/qtile .config/yabai",
    ".config/skhd .hammerspoon .local/bin .local/share/applications .local/share/systemd .local/share/dbus-1 .cargo/bin",
    ".deno/bin .bun/bin .yarn/bin .volta/bin .pyenv/shims .rbenv/shims .asdf/shims go/bin Library/LaunchAgents",
    "Library/LaunchDaemons",
  ),
  // Programs that a project puts before those of the system, and parts that their managers load.
  ...words("node_modules/.bin .venv/bin venv/bin .yarn/plugins .yarn/releases .mvn .gradle/init.d"),
];

/** `.cargo/config` and the like: a name that only counts in one folder. */
export const codePaths: readonly string[] = words(
  ".cargo/config .cargo/config.toml .bundle/config .pip/pip.conf .gradle/init.gradle .gradle/gradle.properties",
  ".config/go/env .config/mimeapps.list .config/dotnet-tools.json .julia/config/startup.jl .lein/profiles.clj .clojure/deps.edn",
  ".goose/config.y*ml",
);

/**
 * Names and paths of what agents take as their instructions, by Ruler's table and the agents' own documents. A person asks
 * for changes of them every day, so they ask only where the text holds data from outside.
 */
export const instructionNames: readonly string[] = words(
  "AGENTS.md AGENT.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md WARP.md JULES.md CODEX.md",
  "SKILL.md replit.md copilot-instructions.md *.instructions.md *.prompt.md *.chatmode.md *.agent.md",
  ".cursorrules .windsurfrules .clinerules .clinerules-* .roorules .roorules-* .kilocoderules .continuerules .builderrules",
  ".rules .goosehints .augment-guidelines .aiassistant.md",
  ".clinerules/** .github/instructions/** .github/prompts/** .github/chatmodes/** .goosehints/** .rules/**",
);
