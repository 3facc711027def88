/**
 * Programs that run the project's own code, in the forms in which that code stands in files of the project. What gets
 * its code from the line, from its input or from elsewhere is in none of them.
 */

type Form = (args: readonly string[]) => boolean;

const isWord = (word: string | undefined): boolean => word !== undefined && /^[A-Za-z][\w:.-]*$/.test(word);

/** A path within the folder that the program starts in. */
function isOwnPath(word: string | undefined): boolean {
  return word !== undefined && /^(?!-)[\w@.][\w@./+-]*$/.test(word) && !/(^|\/)\.\.(\/|$)/.test(word);
}

const anyArguments: Form = () => true;

function subcommand(...names: readonly string[]): Form {
  const known = new Set(names.flatMap((some) => some.split(" ")));
  return ([first]) => (first === undefined ? known.has("") : known.has(first));
}

/** `run NAME`, or one of the names that stand for it. */
function scripts(names: string): Form {
  const known = subcommand(names);
  return (args) =>
    !args.some((arg) => elsewhere.test(arg)) &&
    (known(args) || (/^(run|run-script|rum)$/.test(args[0] ?? "") && isWord(args[1])));
}

/** Options of package managers that take the scripts, or what runs them, from another place. */
const elsewhere =
  /^(-C|-c|--(prefix|dir|cwd|script-shell|node-options|userconfig|globalconfig|config|call))(=|$)/;

/** A file of the project, after options that give no code and name no file. */
function file(options: RegExp): Form {
  return (args) => {
    const at = args.findIndex((arg) => !options.test(arg));
    return at >= 0 && isOwnPath(args[at]);
  };
}

const nodeOptions =
  /^--(test|test-only|watch|no-warnings|enable-source-maps|trace-warnings|experimental-strip-types|experimental-test-coverage|conditions=[\w-]+|test-name-pattern=.*|max-old-space-size=\d+)$/;

const node: Form = (args) => {
  if (file(nodeOptions)(args)) return true;
  return args.includes("--test") && args.every((arg) => nodeOptions.test(arg) || isOwnPath(arg));
};

const pythonModules = new Set(
  "pytest unittest mypy black ruff flake8 pylint isort tox nox doctest coverage build sphinx pyright".split(
    " ",
  ),
);

const python: Form = (args) => {
  const rest = args.slice(
    Math.max(
      0,
      args.findIndex((arg) => !/^-[uBOEsqWI]+$/.test(arg)),
    ),
  );
  return rest[0] === "-m" ? pythonModules.has(rest[1] ?? "") : isOwnPath(rest[0]);
};

const make: Form = (args) =>
  args.every(
    (arg) =>
      /^(-[kBnsij]|-j\d+|--(keep-going|silent|jobs(=\d+)?))$/.test(arg) ||
      (/^[\w./:%+-]+$/.test(arg) && !arg.startsWith("-")) ||
      /^(?!SHELL=|MAKE)[A-Z_]+=[\w./:-]*$/.test(arg),
  );

/** Another program stands behind it. */
function carries(skip: number): Form {
  return (args) => runsProjectProgram(args.slice(skip));
}

/** `npx tsc`: without network it runs what the project has. */
const carried: Form = ([first = "", ...args]) =>
  Object.hasOwn(forms, first) && forms[first] === anyArguments && runsProjectProgram([first, ...args]);

function either(...all: readonly Form[]): Form {
  return (args) => all.some((form) => form(args));
}

const after =
  (word: string, form: Form): Form =>
  (args) =>
    args[0] === word && form(args.slice(1));

const forms: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(
    (
      "tsc vitest jest mocha ava tap eslint prettier biome oxlint stylelint knip typedoc vite esbuild rollup webpack tsup " +
      "swc babel next astro turbo nx pytest py.test mypy pyright black isort flake8 pylint tox nox rspec phpunit pest " +
      "phpstan ctest ninja gradlew"
    )
      .split(" ")
      .map((name) => [name, anyArguments]),
  ),
  npm: either(scripts("test t tst start"), after("exec", carried)),
  pnpm: either(scripts("test t start build lint check format typecheck dev"), after("exec", carried)),
  yarn: scripts("test start build lint check format typecheck dev"),
  bun: either(scripts("test"), file(/^$/)),
  npx: carried,
  bunx: carried,
  node,
  tsx: file(nodeOptions),
  "ts-node": file(/^--(esm|transpile-only|swc)$/),
  deno: either(
    subcommand("test check lint fmt bench"),
    after("task", ([name]) => isWord(name)),
    after("run", file(/^$/)),
  ),
  python,
  python3: python,
  ruby: file(/^-w$/),
  php: file(/^$/),
  perl: file(/^-w$/),
  lua: file(/^$/),
  bash: file(/^-[eux]+$/),
  sh: file(/^-[eux]+$/),
  cargo: subcommand("build b test t check c clippy fmt doc bench run r nextest"),
  go: subcommand("build test vet fmt run generate"),
  dotnet: subcommand("build test format run"),
  mvn: subcommand("test compile package verify"),
  gradle: subcommand("test build check assemble"),
  make,
  gmake: make,
  just: make,
  cmake: either(
    after("--build", ([folder]) => isOwnPath(folder)),
    after("-S", ([folder]) => isOwnPath(folder)),
    ([folder]) => isOwnPath(folder),
  ),
  ruff: subcommand("check format"),
  rake: make,
  bundle: after("exec", carries(0)),
  poetry: after("run", carries(0)),
  uv: after("run", carries(0)),
  pipenv: after("run", carries(0)),
  hatch: after("run", carries(0)),
};

const ownPrograms = /^(\.\/)?(node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/([\w.-]+)$/;

/** Whether these words run code of the project, and none that they give themselves. */
export function runsProjectProgram(words: readonly string[]): boolean {
  const [program = "", ...args] = words;
  const own = ownPrograms.exec(program)?.[3];
  const name = own ?? program;
  if (Object.hasOwn(forms, name)) return (forms[name] as Form)(args);
  return own === undefined && program.startsWith("./") && isOwnPath(program);
}

/** All that may be a path in the arguments of a program, also behind an option's letter or `=`; addresses of servers are none. */
export function pathsInArguments([, ...args]: readonly string[]): readonly string[] {
  return args.flatMap((arg) => {
    const ends = /^(-|\w+=)/.test(arg) ? /[=:,"'{}[\]\s]+/ : /[=:,"'{}[\]]+/;
    const pieces = arg.replace(/\bhttps?:\/\/[^\s,"']*/gi, "").split(ends);
    return pieces.map((piece) => piece.replace(/^-\w(?=[/~]|\.\.)/, "")).filter(isNoOption);
  });
}

function isNoOption(piece: string): boolean {
  return piece !== "" && !piece.startsWith("-");
}
