/**
 * Programs that start code which the workspace defines, which is given to them as text or in a file, or which a
 * service outside the sandbox runs for them, each with the first arguments after which they do not.
 */
const runners: Readonly<Record<string, string>> = {
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
      "npm-exec corepack yarn pnpm terragrunt prove make-first-existing-target lake forge hardhat truffle anchor solc",
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
  npm: "ls list ll la info view show v outdated why explain search version ping whoami root prefix -v",
  docker: "ps images version info search inspect logs top stats port events history -v",
  terraform: "version",
};
const aliases: Readonly<Record<string, string>> = { podman: "docker", nerdctl: "docker", tofu: "terraform" };

/** `docker image ls`, `terraform state list`: what is listed may stand before the word. */
const listing =
  /^docker (network|volume|container|image|context|system|node|service|stack|secret|config|plugin) (ls|list|ps|inspect|df)$|^terraform (state|workspace) (list|show)$/;
const versions = /^(--version|-V|-version)$/;
/** The others look first for what the project says of them: a toolchain, a plug-in, a copy of themselves. */
const sayVersion: ReadonlySet<string> = new Set(
  "python node nodejs ruby perl php lua java javac gcc cc g++ c++ clang clang++ make gmake cmake ninja deno bun npm docker terraform bash zsh".split(
    " ",
  ),
);

/** What a name says without the machine, the version and the suffix in it: `x86_64-linux-gnu-gcc-13`, `python3.11`. */
function plainNames(name: string): string[] {
  const own = name.replace(
    /^([a-z0-9_]+-)+(?=(gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|ld|as|python|perl)([-.\d]|$))/,
    "",
  );
  return [name, own, own.replace(/-?\d.*$/, "")];
}

/** `harmless`: not with these arguments. undefined: it is not known to start any. */
export type CodeUse = "starts" | "harmless" | undefined;

/** Whether a program with these arguments may start code that its line does not show. */
export function codeUse(name: string, args: readonly string[]): CodeUse {
  const key = plainNames(name)
    .map((one) => aliases[one] ?? one)
    .find((one) => Object.hasOwn(runners, one));
  if (key === undefined) return undefined;
  // With a word after it, `npm version` changes the package.
  if (key === "npm" && args[0] === "version" && args.length > 1) return "starts";
  if (args.length === 1 && versions.test(args[0] as string) && sayVersion.has(key)) return "harmless";
  if (listing.test([key, args[0], args[1]].join(" "))) return "harmless";
  const [word] = args;
  return word !== undefined && (runners[key] as string).split(" ").includes(word) ? "harmless" : "starts";
}

function always(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((some) => some.split(" ")).map((name) => [name, ""]));
}
