import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { UserTools } from "../support/user-tools.ts";

function corpus(name: string): string {
  return readFileSync(new URL(`../corpora/${name}`, import.meta.url), "utf8");
}

const commands = ["commands/injection.txt", "commands/injection-unix.txt"].flatMap((name) =>
  corpus(name)
    .split("\n")
    .filter((line) => line !== ""),
);
const templates = corpus("strings/template-injection.txt")
  .split("\n")
  .filter((line) => line !== "");
const naughty = JSON.parse(corpus("strings/blns.json")) as string[];
/** What quoting has to get right, at the ends of a word and alone. */
const made = [
  "'",
  "''",
  "'\\''",
  '"',
  "\\",
  "\\\\'",
  "\n",
  "\n# x\n",
  "$(id)",
  "`id`",
  "-n",
  "--",
  "-e",
  "{{a}}",
  "{{#if a}}",
  "~",
  "!",
  "\t",
  " ",
  "",
  "\u00e9\ud83d\ude00",
  "*",
  "[a]",
  "a=b",
  "\r\n",
  "\u0001\u007f",
];
const values = [...commands, ...templates, ...naughty, ...made].filter((value) => value.isWellFormed());

/** Far below what one argument list may hold. */
const atOnce = 250;

test("there are 531 values of commands, and the naughty strings", () => {
  expect(commands).toHaveLength(531);
  expect(naughty.length).toBeGreaterThan(500);
});

const list = "parameters: [{ name: a, type: array, required: true }]\n";

test.for([
  { way: "words", fields: `${list}command: printf '%s\\0' {{a}}`, before: "" },
  { way: "words of which they are a part", fields: `${list}command: printf '%s\\0' "x{{a}}"`, before: "x" },
  { way: "a line for bash", fields: `${list}shell: true\ncommand: printf '%s\\0' {{a}}`, before: "" },
  {
    way: "a substitution within quotes",
    fields: `${list}shell: true\ncommand: 'x="$(printf "%s\\1" {{a}}; echo .)"; printf "%s" "\${x%.?}" | tr "\\1" "\\0"; true'`,
    before: "",
    isText: true,
  },
])(
  "values that inject commands reach a program byte for byte, as $way",
  async ({ fields, before, isText }) => {
    const tools = new UserTools({ maxOutputChars: 1_000_000 });
    await tools.add("echo-all", fields);
    expect(tools.markdown.problems()).toEqual([]);
    // What marks the ends in the last way is in a value or two.
    const usable = isText === true ? values.filter((value) => !value.includes("\u0001")) : values;
    for (let at = 0; at < usable.length; at += atOnce) {
      const part = usable.slice(at, at + atOnce);
      const result = await tools.call("echo-all", { a: part });
      if (!result.success) throw new Error(result.error);
      const got = (result.result as { stdout: string }).stdout;
      const text = got.length < 16_000 ? got : result.text;
      expect(text.split("\0").slice(0, part.length)).toEqual(part.map((value) => before + value));
    }
  },
);

test("a value reaches a program by a variable byte for byte", async () => {
  const tools = new UserTools({ maxOutputChars: 1_000_000 });
  await tools.add(
    "show",
    'parameters: [{ name: a, type: string, required: true }]\nenvironment: { VALUE: "<{{a}}>" }\nshell: true\ncommand: printf %s "$VALUE"',
  );
  for (const value of values.filter((_, at) => at % 40 === 0))
    expect(await tools.call("show", { a: value })).toMatchObject({ result: { stdout: `<${value}>` } });
});

test.for(["words", "shell"])("a value that no argument can hold is refused (%s)", async (way) => {
  const tools = new UserTools();
  await tools.add(
    "echo-one",
    `parameters: [{ name: a, type: string, required: true }]\nshell: ${way === "shell"}\ncommand: printf %s {{a}}`,
  );
  for (const a of ["x\0y", "\ud800"])
    expect(await tools.call("echo-one", { a })).toMatchObject({ success: false, code: "COMMAND_VALUE" });
});
