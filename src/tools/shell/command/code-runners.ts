/** First arguments: all but these start code, or only these. */
type Words = { readonly but: string } | { readonly only: string };

/**
 * Programs that start code which the workspace defines, which is given to them as text or in a file, or which a
 * service outside the sandbox runs for them. `always`: whatever they are told.
 */
const runners: Readonly<Record<string, Words>> = {
  ...always(
    // Languages: a file or a text is their program.
    "python pypy ipython node nodejs deno bun bunx ts-node tsx ruby irb perl php lua luajit tclsh wish expect Rscript R " +
      "julia octave gnuplot groovy scala kotlin kotlinc elixir iex erl escript mix swift swiftc crystal nim zig ghc " +
      "runghc stack cabal ocaml dune racket guile gosh csi sbcl clisp ecl clojure clj lein java jshell javac jar " +
      "dotnet csi fsi mono pwsh powershell osascript dart flutter rustc gcc cc g++ c++ clang clang++ tcc go cargo rustup " +
      "awk gawk mawk nawk m4 bc dc xonsh fish csh tcsh nu elvish yash rc es bash sh dash zsh ksh mksh ash rbash " +
      "sqlite sqlite3 duckdb mongo mongosh",
    // Builds, tests and tasks: the workspace says what they do.
    "make gmake bmake cmake ctest ninja meson samu just task rake rakefile bundle thor gradle gradlew mvn mvnw ant sbt " +
      "mill bazel bazelisk buck buck2 pants please nx turbo lerna rush grunt gulp jake wireit lage moon earthly dagger " +
      "scons waf invoke inv fab nox tox pytest py.test unittest coverage poetry pipenv pdm hatch rye uv uvx pipx conda " +
      "mamba pre-commit lefthook husky lint-staged composer phpunit pest artisan symfony phpstan psalm rspec minitest " +
      "cucumber jest vitest mocha ava tap karma cypress playwright tsc eslint prettier biome oxlint stylelint rollup webpack " +
      "vite esbuild parcel next nuxt astro svelte-kit remix gatsby ember ng vue-cli-service expo react-native storybook " +
      "babel swc tsup tsdown unbuild rolldown knip typedoc semantic-release changeset release-it husky sphinx-build " +
      "mkdocs jekyll hugo eleventy vuepress vitepress latexmk pdflatex xelatex lualatex tex latex buf protoc " +
      "autoconf automake autoreconf configure libtool fakeroot debuild dpkg-buildpackage rpmbuild makepkg snapcraft " +
      "flatpak-builder nix nix-build nix-shell nix-env guix home-manager direnv asdf mise act skaffold tilt garden " +
      "devspace devcontainer vagrant packer ansible ansible-playbook puppet chef salt salt-call pulumi cdk serverless sls " +
      "sam amplify wrangler firebase supabase eas docker-compose podman-compose overmind foreman honcho hivemind pm2 " +
      "nodemon watchexec entr supervisord forever concurrently npm-run-all run-s run-p dotenv env-cmd cross-env npx pnpx " +
      "npm-exec corepack yarn lake forge hardhat truffle anchor solc",
    // They start what stands on their line.
    "parallel sem rush-parallel screen tmux dtach abduco byobu nohup at batch run-parts start-stop-daemon daemonize " +
      "systemd-run unshare nsenter setpriv capsh strace ltrace perf gdb gdbserver lldb rr valgrind heaptrack bwrap " +
      "firejail prlimit numactl proot xvfb-run dbus-run-session dbus-launch proxychains proxychains4 torsocks torify " +
      "rlwrap faketime datefudge eatmydata nocache cpulimit chpst softlimit setuidgid envdir setlock logsave sg newgrp " +
      "runcon setarch linux32 linux64 i386 x86_64 uname26 ld.so ssh mosh autossh sshpass kexec hyperfine ts " +
      "chronic errno ifne mispipe pee vipe sponge facl watchman fswatch inotifywait incron cron anacron fcron dbus-send " +
      "busctl gdbus machinectl loginctl virsh lxc incus lima multipass wsl adb",
    // Editors and pagers have commands that start others.
    "ed ex vi vim vimdiff view rvim nvim emacs emacsclient nano pico rnano joe jed ne mg micro helix hx kak mcedit code less " +
      "more most man info lynx w3m elinks links mutt mail mailx",
  ),
  npm: {
    but: "ls list ll la info view show v outdated why explain search version help ping whoami root prefix -v",
  },
  pnpm: { but: "ls list ll la info view show outdated why root -v" },
  docker: { but: "ps images version info search inspect logs top stats port events history -v" },
  terraform: { but: "version" },
  netlify: { only: "build dev deploy serve functions:invoke functions:serve init watch" },
  vercel: { only: "build dev develop deploy" },
};
const aliases: Readonly<Record<string, string>> = {
  podman: "docker",
  nerdctl: "docker",
  tofu: "terraform",
  terragrunt: "terraform",
  ntl: "netlify",
  vc: "vercel",
  now: "vercel",
};

/** `docker image ls`, `terraform state list`: what is listed may stand before the word. */
const listing =
  /^(docker|podman|nerdctl) (network|volume|container|image|context|system|node|service|stack|secret|config|plugin) (ls|list|ps|inspect|df)$|^(terraform|tofu|terragrunt) (state|workspace) (list|show)$|^(vercel|vc|now) [a-z]+ (ls|list|inspect)$/;
const versions = /^(--version|-V|-version|--help)$/;

/** Whether a program with these arguments may start code that its line does not show. */
export function runsCode(name: string, args: readonly string[]): boolean {
  const own = name.replace(/[-]?[0-9][0-9.]*$/, "");
  const key = [name, own].map((one) => aliases[one] ?? one).find((one) => Object.hasOwn(runners, one));
  if (key === undefined) return false;
  // With a word after it, `npm version` changes the package.
  if (own === "npm" && args[0] === "version" && args.length > 1) return true;
  if (args.length === 1 && versions.test(args[0] as string)) return false;
  const words = runners[key] as Words;
  if (listing.test([own, args[0], args[1]].join(" "))) return false;
  return "but" in words ? !isAmong(words.but, args[0]) : args.some((word) => isAmong(words.only, word));
}

function isAmong(words: string, word: string | undefined): boolean {
  return word !== undefined && words.split(" ").includes(word);
}

function always(...names: readonly string[]): Record<string, Words> {
  return Object.fromEntries(names.flatMap((some) => some.split(" ")).map((name) => [name, { but: "" }]));
}
