import { areInert } from "../judging/inert-variables.ts";
import { type OptionTable, optionTable, readOptions } from "../syntax/options.ts";
import { type Argument, fixedArgument, unknownArgument } from "../syntax/word.ts";

/** What a program that starts another would start. */
export interface Unwrapped {
  /** It runs the words as a command of its own; nothing where it runs none. */
  readonly commands: readonly (readonly Argument[])[];
  /** It hands these texts to a shell. */
  readonly scripts: readonly string[];
  /** Nothing happens but what is in it; else the program is a part by itself, too. */
  readonly transparent: boolean;
  /** Why not all of it can be known. */
  readonly opaque?: string;
  /** Variables are set for what it starts, or its folder is another. */
  readonly changed?: true;
}

/** @param stdin what the program reads from its input, where that is known */
export type Unwrap = (args: readonly Argument[], stdin?: string) => Unwrapped;

const nothing: Unwrapped = { commands: [], scripts: [], transparent: false };

export function opaqueWrapper(reason: string): Unwrapped {
  return { ...nothing, opaque: reason };
}

interface Wrapper {
  readonly options: OptionTable;
  /** Operands of its own before the command. */
  readonly skip: number;
  readonly transparent: boolean;
  /** `NAME=value` may stand before the command. */
  readonly assigns: boolean;
  /** Options after which it does something else. */
  readonly unreadable: readonly string[];
}

const none: readonly string[] = [];
const plain = (flags: string, longFlags: string, values: string, skip = 0): Wrapper => ({
  options: optionTable(flags, longFlags, values),
  skip,
  transparent: true,
  assigns: false,
  unreadable: none,
});
const powerful = (wrapper: Wrapper, unreadable: readonly string[] = none): Wrapper => ({
  ...wrapper,
  transparent: false,
  unreadable,
});

/** Programs whose operands are another program's line. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: plain("", "", ""),
  // Not `-a`: busybox and others of many names do what the name says that they are started by.
  exec: plain("cl", "", ""),
  nice: plain("0123456789", "", "n adjustment"),
  ionice: plain("t", "ignore", "c n class classdata"),
  nohup: plain("", "", ""),
  setsid: plain("cfw", "ctty fork wait", ""),
  stdbuf: plain("", "", "i o e input output error"),
  time: { ...plain("pvV", "portability verbose", "f format"), assigns: true },
  timeout: plain("pfv", "preserve-status foreground verbose", "k s kill-after signal", 1),
  chrt: powerful(plain("abfiorv", "", "", 1)),
  taskset: powerful(plain("ac", "", "", 1)),
  unbuffer: powerful(plain("p", "", "")),
  chroot: powerful(plain("", "skip-chdir", "userspec groups", 1)),
  sudo: {
    ...powerful(
      plain(
        "ABbEHknPSNisK",
        "preserve-env set-home non-interactive stdin background login shell",
        "u g h p C r t T U D R user group host prompt chdir chroot",
      ),
      ["i", "s", "login", "shell"],
    ),
    assigns: true,
  },
  doas: { ...powerful(plain("nsL", "", "u C"), ["s"]), assigns: false },
  pkexec: powerful(plain("", "disable-internal-agent keep-cwd", "user")),
  runuser: powerful(plain("", "", "u user")),
};

export function findUnwrap(name: string): Unwrap | undefined {
  if (Object.hasOwn(specials, name)) return specials[name];
  if (!Object.hasOwn(wrappers, name)) return undefined;
  const wrapper = wrappers[name] as Wrapper;
  return (args) => unwrap(wrapper, args);
}

const assignment = /^[A-Za-z_][A-Za-z0-9_]*=/;

function unwrap(wrapper: Wrapper, args: readonly Argument[]): Unwrapped {
  const read = readOptions(args, wrapper.options, { stopAtOperand: true });
  if (read === undefined) return opaqueWrapper("an option of it is not known");
  let words = read.operands.slice(wrapper.skip);
  let changed = false;
  while (wrapper.assigns && words[0] !== undefined && assignment.test(words[0].text)) {
    words = words.slice(1);
    changed = true;
  }
  const unreadable = wrapper.unreadable.some((name) => read.given.has(name));
  return {
    commands: words.length === 0 ? [] : [words],
    scripts: [],
    transparent: wrapper.transparent && !changed && words.length > 0,
    ...(changed && { changed }),
    ...(unreadable && { opaque: "it starts a shell of its own" }),
  };
}

/** A script given as text, and what else is said with it. */
function readScript(words: readonly Argument[]): Unwrapped {
  if (!words.every(({ fixed }) => fixed)) return opaqueWrapper("its script is not fixed");
  return { ...nothing, scripts: [words.map(({ text }) => text).join(" ")], transparent: true };
}

const envOptions = optionTable("i0v", "ignore-environment null debug", "u C S unset chdir split-string");
const watchOptions = optionTable(
  "bcdegtwx",
  "beep color differences errexit chgexit no-title no-wrap exec precise",
  "n interval",
);
const xargsOptions = optionTable(
  "0rtx",
  // The last two have a value only behind "=".
  "null no-run-if-empty verbose exit replace max-lines",
  "I n P L s d E max-args max-procs max-lines max-chars delimiter replace",
);
const suOptions = optionTable("lmpfP", "login preserve-environment fast pty", "c s g G command shell group");
const scriptOptions = optionTable("aefq", "append return flush quiet", "c command");
const flockOptions = optionTable(
  "enosuxF",
  "exclusive nonblock no-fork shared unlock close",
  "w E c timeout conflict-exit-code command",
);

/** Programs that start another in a way of their own. */
const specials: Readonly<Record<string, Unwrap>> = {
  command(args) {
    if (args[0]?.fixed === true && /^-[vV]$/.test(args[0].text)) return nothing;
    const read = readOptions(args, optionTable("p", "", ""), { stopAtOperand: true });
    if (read === undefined) return opaqueWrapper("an option of it is not known");
    return { ...nothing, commands: [read.operands], transparent: read.operands.length > 0 };
  },
  eval: (args) => readScript(args[0]?.text === "--" ? args.slice(1) : args),
  env: unwrapEnv,
  watch(args) {
    const read = readOptions(args, watchOptions, { stopAtOperand: true });
    if (read === undefined) return opaqueWrapper("an option of it is not known");
    return read.given.has("x") || read.given.has("exec")
      ? { ...nothing, commands: [read.operands], transparent: true }
      : readScript(read.operands);
  },
  trap(args) {
    const words = args[0]?.text === "--" ? args.slice(1) : args;
    if (words.length < 2) return { ...nothing, transparent: words.every(({ fixed }) => fixed) };
    const [script] = words as [Argument, ...Argument[]];
    return script.fixed && script.text === "-" ? { ...nothing, transparent: true } : readScript([script]);
  },
  xargs: unwrapXargs,
  find: unwrapFind,
  su(args) {
    const read = readOptions(args, suOptions, { stopAtOperand: false });
    return unwrapScript(read?.given.get("c") ?? read?.given.get("command"), "it starts a shell of its own");
  },
  script(args) {
    const read = readOptions(args, scriptOptions, { stopAtOperand: false });
    return unwrapScript(read?.given.get("c") ?? read?.given.get("command"), "it starts a shell of its own");
  },
  flock(args) {
    const read = readOptions(args, flockOptions, { stopAtOperand: true });
    const [, ...words] = read?.operands ?? [];
    if (words[0]?.text === "-c")
      return unwrapScript(words[1]?.fixed === true ? words[1].text : undefined, "its script is not fixed");
    return read === undefined
      ? opaqueWrapper("an option of it is not known")
      : { ...nothing, commands: words.length === 0 ? [] : [words] };
  },
  busybox: (args) => ({ ...nothing, commands: args.length === 0 ? [] : [args] }),
  toybox: (args) => ({ ...nothing, commands: args.length === 0 ? [] : [args] }),
  parallel: () => opaqueWrapper("what it starts depends on its input"),
};

function unwrapScript(script: string | true | undefined, otherwise: string): Unwrapped {
  return typeof script === "string" ? { ...nothing, scripts: [script] } : opaqueWrapper(otherwise);
}

function unwrapEnv(args: readonly Argument[]): Unwrapped {
  const read = readOptions(args, envOptions, { stopAtOperand: true });
  if (read === undefined) return opaqueWrapper("an option of it is not known");
  const split = read.given.get("S") ?? read.given.get("split-string");
  let words = read.operands;
  if (typeof split === "string") {
    if (/[\\'"$#]/.test(split))
      return { ...opaqueWrapper("its string is split in a way of its own"), scripts: [split] };
    words = [
      ...split
        .split(/\s+/)
        .filter((word) => word !== "")
        .map(fixedArgument),
      ...words,
    ];
  }
  // env takes any name, and "-" for -i; other programs have neither in front.
  const start = words.findIndex(({ text }) => !text.includes("=") && text !== "-");
  const command = start < 0 ? [] : words.slice(start);
  const set = words.slice(0, words.length - command.length).map(({ text }) => text.replace(/=.*$/s, ""));
  const changed =
    (!areInert(set, command) && set.length > 0) ||
    ["u", "unset", "C", "chdir", "i", "ignore-environment"].some((name) => read.given.has(name));
  return {
    ...nothing,
    commands: command.length === 0 ? [] : [command],
    transparent: !changed && command.length > 0,
    ...(changed &&
      command.length > 0 && {
        changed: true as const,
        opaque: "variables set for it may change what it does",
      }),
  };
}

/** A text that xargs only takes apart at blanks and ends of lines. */
const plainInput = /^[\w./@%+,: \n-]+$/;

function unwrapXargs(args: readonly Argument[], stdin?: string): Unwrapped {
  const read = readOptions(args, xargsOptions, { stopAtOperand: true });
  if (read === undefined) return opaqueWrapper("an option of it is not known");
  const given = read.given.get("I") ?? read.given.get("replace");
  const replaced = given === true ? "{}" : given;
  const words = read.operands.length === 0 ? [fixedArgument("echo")] : read.operands;
  const takesAll = Array.from(read.given.keys()).every((option) => /^[rtI]$/.test(option));
  if (stdin !== undefined && plainInput.test(stdin) && takesAll && given !== true)
    return { ...nothing, commands: commandsOfXargs(words, stdin, given), transparent: true };
  const marked =
    typeof replaced === "string"
      ? words.map((word) => withUnknown(word, replaced))
      : [...words, unknownArgument("…")];
  return { ...nothing, commands: [marked], transparent: true };
}

/** The commands that xargs starts with this input: one, or one for each line where a mark stands for it. */
function commandsOfXargs(words: readonly Argument[], stdin: string, mark: string | undefined): Argument[][] {
  if (mark === undefined)
    return [[...words, ...stdin.split(/\s+/).flatMap((text) => (text === "" ? [] : [fixedArgument(text)]))]];
  return stdin.split("\n").flatMap((line) => {
    const value = line.trimStart();
    if (value === "") return [];
    return [
      words.map((word) => (word.fixed ? fixedArgument(word.text.replaceAll(mark, () => value)) : word)),
    ];
  });
}

function withUnknown(word: Argument, mark: string): Argument {
  return mark !== "" && word.text.includes(mark) ? unknownArgument(word.text) : word;
}

function unwrapFind(args: readonly Argument[]): Unwrapped {
  const commands: Argument[][] = [];
  const own: Argument[] = [];
  let isElsewhere = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Argument;
    own.push(word);
    if (!word.fixed || !/^-(exec|execdir|ok|okdir)$/.test(word.text)) continue;
    isElsewhere ||= word.text.endsWith("dir");
    const command: Argument[] = [];
    for (at++; at < args.length; at++) {
      const next = args[at] as Argument;
      if (next.fixed && (next.text === ";" || (next.text === "+" && command.at(-1)?.text === "{}"))) break;
      command.push(withUnknown(next, "{}"));
    }
    commands.push(command);
  }
  const found = { ...nothing, commands: commands.filter((command) => command.length > 0) };
  // A path that is looked up here is another one in the folder of each file found.
  return isElsewhere ? { ...found, opaque: "its command runs in folders that are not known before" } : found;
}
