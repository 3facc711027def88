import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inAnyCase, type SeatbeltView, writeProfile } from "./profile.ts";

const view: SeatbeltView = {
  writable: ["/Users/ada/project", "/private/var/folders/ab/T/haft-tmp-1"],
  protected: ["/Users/ada/project/.git/hooks", "/Users/ada/project/haft.config.yml"],
  closed: ["/Users", "/private/tmp", "/private/var/folders"],
  readable: ["/Users/ada/project", "/Users/ada/.cargo/bin"],
  hidden: ["/Users/ada/.local/state/haft", "/Users/ada/.cargo/bin/token"],
  temporary: "/private/var/folders/ab/T/haft-tmp-1",
  proxyPort: undefined,
};

type Expression = string | readonly Expression[];

/** Reads Lisp: lists, words, and strings with their quotes. */
function parse(text: string): readonly Expression[] {
  const tokens = text.match(/\(|\)|#?"[^"]*"|[^\s()"]+/g) ?? [];
  const read = (): Expression[] => {
    const list: Expression[] = [];
    for (let token = tokens.shift(); token !== undefined && token !== ")"; token = tokens.shift())
      list.push(token === "(" ? read() : token);
    return list;
  };
  return read();
}

/** Reads what a profile says of files: the last rule that fits decides, as in Apple's own reader. */
class ProfileReader {
  readonly #rules: readonly (readonly Expression[])[];
  readonly #parameters: Readonly<Record<string, string>>;

  constructor({ text, parameters }: ReturnType<typeof writeProfile>) {
    this.#parameters = parameters;
    this.#rules = parse(text).flatMap((one) => {
      if (typeof one === "string") return [];
      const [verdict, , then] = one;
      return verdict === "if" && Array.isArray(then) ? [then as readonly Expression[]] : [one];
    });
  }

  may(operation: string, path: string): boolean {
    let answer = false;
    for (const [verdict, ...rest] of this.#rules) {
      if (verdict !== "allow" && verdict !== "deny") continue;
      const operations = rest.filter((one) => typeof one === "string");
      const filters = rest.filter((one) => typeof one !== "string");
      const isMeant = operations.some((one) =>
        one.endsWith("*") ? operation.startsWith(one.slice(0, -1)) : one === operation,
      );
      if (isMeant && (filters.length === 0 || filters.some((filter) => this.#fits(filter, path))))
        answer = verdict === "allow";
    }
    return answer;
  }

  #fits([kind, value]: readonly Expression[], path: string): boolean {
    const place =
      typeof value === "string"
        ? value.replace(/^#?"|"$/g, "")
        : this.#parameters[JSON.parse(String(value?.[1]))];
    if (place === undefined) throw new Error(`no value for ${String(value)}`);
    if (kind === "regex") return new RegExp(place).test(path);
    return path === place || (kind === "subpath" && path.startsWith(`${place}/`));
  }
}

describe("writeProfile()", () => {
  test("is this for a project with a repository, and with a way to the network", async () => {
    const { text, parameters } = writeProfile({ ...view, proxyPort: 3128 });
    await expect(`${text}\n${JSON.stringify(parameters, undefined, 2)}\n`).toMatchFileSnapshot(
      "../../../../test/pins/seatbelt-profile.txt",
    );
  });

  test.each([
    ["file-write-data", "/Users/ada/project/a.txt", true],
    ["file-write-create", "/Users/ada/project/src/new.txt", true],
    ["file-write-data", "/Users/ada/other.txt", false],
    ["file-write-data", "/etc/hosts", false],
    ["file-write-data", "/dev/null", true],
    ["file-write-data", "/dev/disk0", false],
    ["file-write-create", "/Users/ada/project/.git/hooks/pre-commit", false],
    ["file-write-create", "/Users/ada/project/.GIT/Hooks", false],
    ["file-write-create", "/Users/ada/project/HAFT.config.yml", false],
    ["file-write-create", "/Users/ada/project/haft.config.yml.bak", true],
    ["file-write-unlink", "/Users/ada/project/.git", false],
    ["file-write-unlink", "/Users/ada/project", false],
    ["file-write-unlink", "/private/var/folders/ab/T/haft-tmp-1", false],
    ["file-write-unlink", "/Users/ada/project/.GIT", false],
    ["file-write-create", "/Users/ada/project/.git", false],
    ["file-write-unlink", "/Users/ada/project/.git/index", true],
    ["file-write-create", "/Users/ada/project/.github", true],
    ["file-read-data", "/usr/lib/dyld", true],
    ["file-read-data", "/Users/ada/project/a.txt", true],
    ["file-read-data", "/Users/ada/.ssh/id_ed25519", false],
    ["file-read-data", "/Users/ada", false],
    ["file-read-metadata", "/Users/ada", true],
    ["file-read-metadata", "/Users/ada/.ssh", false],
    ["file-read-data", "/Users/ada/.cargo/bin/cargo", true],
    ["file-read-data", "/Users/ada/.cargo/bin/token", false],
    ["file-read-metadata", "/Users/ada/.local/state/haft/haft.db", false],
    ["file-read-data", "/private/tmp/of-others", false],
    ["file-read-data", "/private/var/folders/ab/T/haft-tmp-1/mine", true],
  ] as const)("decides %s of %s: %s", (operation, path, allowed) => {
    expect(new ProfileReader(writeProfile(view)).may(operation, path)).toBe(allowed);
  });

  test("names no port and no host without a proxy, and with one that port alone", () => {
    expect(writeProfile(view).text).not.toMatch(/ip "/);
    const { text } = writeProfile({ ...view, proxyPort: 5000 });
    expect(text.match(/ip "[^"]*"/g)).toEqual(['ip "localhost:5000"']);
  });

  test("holds whatever signs paths are made of: none ends a string, and each is kept", () => {
    const step = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 6 })
      .filter((name) => !/[/\0]|^\.\.?$/.test(name));
    const steps = fc.array(step, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(steps, steps, (folder, names) => {
        const root = `/w/${folder.join("/")}`;
        const kept = `${root}/${names.join("/")}`;
        const profile = writeProfile({ ...view, writable: [root], protected: [kept], hidden: [] });
        const reader = new ProfileReader(profile);
        expect(reader.may("file-write-create", kept)).toBe(false);
        expect(reader.may("file-write-create", `${kept}/below`)).toBe(false);
        expect(reader.may("file-write-unlink", root)).toBe(false);
        // Only harmless signs came into the text.
        expect(profile.text).toMatch(/^[\x20-\x7e\n]*$/);
        for (const [quoted] of profile.text.matchAll(/"[^"]*"/g))
          expect(quoted.replace(/\(\$\|\/\)"$/, '"')).toMatch(/^"[\w.:*+?$^[\]()/-]*"$/);
        expect(Object.values(profile.parameters)).toContain(root);
      }),
    );
  });
});

test.each(["\n", "\r", "\u2028", "a\nb"])("inAnyCase() fits names with a line end: %j", (name) => {
  const fits = (kept: string, path: string) =>
    new RegExp(/#"(.*)"/.exec(inAnyCase(kept))?.[1] ?? "").test(path);
  expect(fits(`/w/${name}/kept`, `/w/${name}/kept`)).toBe(true);
  expect(fits("/w/kept", `/w/kept/${name}`)).toBe(true);
  expect(fits(`/w/${name}`, `/w/${name}/below`)).toBe(true);
});

test("inAnyCase() fits a path in any case of its letters, what is below it, and no neighbour", () => {
  const fits = (path: string) => new RegExp(/#"(.*)"/.exec(inAnyCase("/a/.Git-1"))?.[1] ?? "").test(path);
  expect(["/a/.git-1", "/A/.GIT-1", "/a/.Git-1/hooks"].map(fits)).toEqual([true, true, true]);
  expect(["/a/.git-12", "/a/xgit-1", "/b/a/.git-1", "/a"].map(fits)).toEqual([false, false, false, false]);
});
