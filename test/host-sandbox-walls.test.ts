import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ConfinedRequest } from "./support/confined-run.ts";
import { needs } from "./support/needs.ts";
import {
  isRoot,
  makePlace,
  type Place,
  runAs,
  searchPath,
  toRequest,
  usersHere,
} from "./support/sandbox-place.ts";

const { users, inSandbox } = await usersHere();
const node = process.execPath;
const isHere = (program: string) =>
  spawnSync(program, ["--version"], { env: { PATH: searchPath } }).status === 0;

const opened: { close(): unknown }[] = [];
afterAll(() => {
  for (const one of opened) one.close();
});

/** A server at a path that everybody may connect to. */
async function listenAt(socket: string): Promise<Server> {
  const server = createServer((client) => client.end("machine"));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  chmodSync(socket, 0o777);
  opened.push(server);
  return server;
}

/** A folder of root's, outside homes and temporary folders, with files in it. */
function systemFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync("/var/lib/haft-test-");
  chmodSync(folder, 0o755);
  opened.push({ close: () => rmSync(folder, { recursive: true }) });
  write(folder, files);
  return folder;
}

/** Writes files; `-> target` makes a link. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    if (content.startsWith("-> ")) symlinkSync(content.slice(3), file);
    else writeFileSync(file, content, { mode: 0o755 });
  }
}

/** Says of each path what a connection to it brings. */
function connectTo(...paths: readonly string[]): string {
  const script = `require("net").connect(process.argv[1]).on("data",d=>console.log(""+d)).on("error",e=>console.log(e.code))`;
  return paths.map((one) => `${node} -e '${script}' ${one}`).join("\n");
}

describe.for(users)("A command in the sandbox, started by %s,", inSandbox, (user) => {
  const run = async (place: Place, line: string, more?: Partial<ConfinedRequest>) => {
    const { stdout, stderr, error } = await runAs(user, toRequest(place, line, more));
    return { lines: stdout.trimEnd().split("\n"), stderr, error };
  };

  test("reaches no socket of the machine where it sees the folder, and sees no file in its place", async () => {
    const place = makePlace(user);
    const sockets = [join(place.work, "dev.sock"), join(place.outside, "sock")];
    if (isRoot) sockets.push(join(systemFolder({}), "database.sock"));
    for (const socket of sockets) await listenAt(socket);
    const { lines } = await run(place, `${connectTo(...sockets)}\n[ -f dev.sock ] || echo no file`, {
      bounds: { writable: [place.work, place.outside] },
    });
    expect(lines).toEqual([...sockets.map(() => "ECONNREFUSED"), "no file"]);
  });

  test("reaches no socket that was bound by a name from the folder itself", async () => {
    const place = makePlace(user);
    const bind = `require("net").createServer(c=>c.end("machine")).listen("near.sock",()=>console.log("up"))`;
    const server = spawn(node, ["-e", bind], { cwd: place.work, stdio: ["ignore", "pipe", "inherit"] });
    opened.push({ close: () => server.kill() });
    await new Promise((resolve) => server.stdout.once("data", resolve));
    chmodSync(join(place.work, "near.sock"), 0o777);
    expect((await run(place, connectTo("near.sock"))).lines).toEqual(["ECONNREFUSED"]);
  });

  test("reaches sockets of its own, and one that was decided", async () => {
    const place = makePlace(user);
    const decided = join(place.work, "decided.sock");
    await listenAt(decided);
    const own = `const n=require("net");const s=n.createServer(c=>c.end("own")).listen("own.sock",()=>n.connect("own.sock").on("data",d=>{console.log(""+d);s.close()}))`;
    const { lines } = await run(place, `${node} -e '${own}'\n${connectTo(decided)}`, {
      bounds: { writable: [place.work], readable: [decided] },
    });
    expect(lines).toEqual(["own", "machine"]);
  });

  test("has its system calls filtered, and no user namespace to be root in", async () => {
    const { lines } = await run(
      makePlace(user),
      "grep Seccomp: /proc/self/status; unshare -U true 2>/dev/null || echo refused",
    );
    expect(lines).toEqual(["Seccomp:\t2", "refused"]);
  });

  test(
    "reads no key of the session, and opens no door into the kernel",
    needs("perl", process.arch === "x64" && isHere("perl")),
    async () => {
      const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno;
      const calls: Readonly<Record<string, readonly [string, number]>> = {
        "the session's keyring": ["250, 0, -3, 0", EPERM],
        "its keys": ["250, 11, -3, 0, 0", EPERM],
        "another key": ['249, my $t = "user", my $k = "haft", 0, -3', EPERM],
        io_uring: ["425, 1, 0", ENOSYS],
        bpf: ["321, 0, 0, 0", EPERM],
        "typing into a terminal": ["16, 0, 0x5412, 0", EPERM],
        vsock: ["41, 40, 1, 0", EAFNOSUPPORT],
      };
      const script = Object.values(calls)
        .map(([call]) => `$! = 0; syscall(${call}); print $! + 0, "\\n";`)
        .join(" ");
      const { lines } = await run(makePlace(user), `perl -e '${script}'`);
      expect(Object.keys(calls).map((name, index) => [name, Number(lines[index])])).toEqual(
        Object.entries(calls).map(([name, [, error]]) => [name, error]),
      );
    },
  );

  const everyday: Readonly<Record<string, string>> = {
    node: `${node} -e 'const w=require("worker_threads");new w.Worker("0",{eval:true}).on("exit",()=>console.log(require("os").networkInterfaces().lo.length>0&&"good"))'`,
    git: "git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m m && git log --format=tformat:good",
    python3: `python3 -c 'import subprocess,threading,multiprocessing as m;p=m.Process(target=print);p.start();p.join();print(subprocess.run(["echo","good"],capture_output=True,text=True).stdout)'`,
    gcc: `echo 'int main(){return 0;}' > a.c && gcc -g a.c -o a && ./a && echo good`,
    gdb: "gdb -nx -batch -ex run -ex 'print 1+1' /bin/true 2>&1 | grep -q '= 2' && echo good",
  };
  test.for(Object.keys(everyday).filter((name) => name === "node" || isHere(name)))(
    "runs %s as ever",
    async (name) => {
      const { lines, stderr } = await run(makePlace(user), everyday[name] as string);
      expect(lines.filter(Boolean), stderr).toEqual(["good"]);
    },
  );

  test("sees of a home the folders of PATH, what their links lead to, and nothing beside them", async () => {
    const place = makePlace(user);
    write(place.home, {
      ".local/bin/plain": "#!/bin/sh\necho plain",
      ".local/bin/linked": "-> ../share/tool/bin/linked",
      ".local/bin/single": "-> ../../scripts/single",
      ".local/share/tool/bin/linked": '#!/bin/sh\ncat "$HOME/.local/share/tool/lib/part"',
      ".local/share/tool/lib/part": "linked\n",
      ".local/share/app/data": "SECRET data",
      ".local/state/history": "SECRET history",
      ".config/composer/vendor/bin/packed": "-> ../pack/packed",
      ".config/composer/vendor/pack/packed": '#!/bin/sh\necho "packed"',
      ".config/composer/auth.json": "SECRET auth",
      ".config/other/settings": "SECRET settings",
      "scripts/single": "#!/bin/sh\necho single",
      "scripts/notes": "SECRET script",
    });
    const folders = [".local/bin", ".config/composer/vendor/bin"].map((name) => join(place.home, name));
    const { lines } = await run(
      place,
      "plain; linked; single; packed; cd; find . -not -type d | sort | grep -v ./work; grep -r SECRET .",
      { environment: { PATH: [...folders, searchPath].join(":"), HOME: place.home } },
    );
    expect(lines).toEqual([
      "plain",
      "linked",
      "single",
      "packed",
      "./.config/composer/vendor/bin/packed",
      "./.config/composer/vendor/pack/packed",
      "./.local/bin/linked",
      "./.local/bin/plain",
      "./.local/bin/single",
      "./.local/share/tool/bin/linked",
      "./.local/share/tool/lib/part",
      "./scripts/single",
    ]);
  });

  test("sees what a version manager keeps, but for what may be a secret, however deep", async () => {
    const place = makePlace(user);
    write(place.home, {
      ".cargo/bin/tool": "#!/bin/sh\ncat $HOME/.rustup/toolchains/one/lib/part",
      ".rustup/toolchains/one/lib/part": "whole\n",
      ".cargo/credentials.toml": "SECRET token",
      ".cargo/a/b/c/d/.env": "SECRET deep",
      ".cargo/a/linked.pem": "-> b/c/d/plain",
      ".cargo/a/b/c/d/plain": "SECRET by another name",
      ".cargo/registry/src/crate/tests/sample.pem": "a certificate\n",
      ".nvm/versions/node/v1/lib/npm": "",
    });
    const { lines, error } = await run(
      place,
      "tool; cat ~/.cargo/registry/src/crate/tests/sample.pem; grep -r SECRET ~; ls -A ~",
      { environment: { PATH: `${join(place.home, ".cargo/bin")}:${searchPath}`, HOME: place.home } },
    );
    expect([error, lines]).toEqual([undefined, ["whole", "a certificate", ".cargo", ".rustup", "work"]]);
  });
});

describe("A command of root's in the sandbox", isRoot ? inSandbox : needs("root", false), () => {
  const run = async (line: string, bounds: ConfinedRequest["bounds"]) => {
    const place = makePlace("root");
    const request = toRequest(place, line, { bounds });
    const { stdout, error } = await runAs("root", {
      ...request,
      cwd: bounds.writable[0] ?? place.work,
    });
    return [error, stdout.trimEnd().split("\n")];
  };

  test("reads nothing that root keeps from all others, and what everyone may read", async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`log/${index}`, "SECRET log"]));
    const folder = systemFolder({
      open: "open\n",
      closed: "SECRET file",
      "folder/sub/file": "SECRET in a folder",
      ...many,
    });
    for (const name of ["closed", ...Object.keys(many)]) chmodSync(join(folder, name), 0o640);
    chmodSync(join(folder, "folder"), 0o750);
    expect(await run(`cat ${folder}/open; grep -r SECRET ${folder}`, { writable: [] })).toEqual([
      undefined,
      ["open"],
    ]);
  });

  test("works in a folder that only root may enter, without seeing what stands beside it", async () => {
    const folder = systemFolder({
      "project/file": "mine\n",
      "project/.env": "of the project\n",
      other: "SECRET other",
    });
    const project = join(folder, "project");
    for (const closed of [folder, project]) chmodSync(closed, 0o700);
    for (const name of ["file", ".env"]) chmodSync(join(project, name), 0o600);
    expect(
      await run("cat file .env; ls -A ..; echo new > made && cat made", { writable: [project] }),
    ).toEqual([undefined, ["mine", "of the project", "project", "new"]]);
  });

  test("reads a file of root's that was decided, and not those beside it", async () => {
    const folder = systemFolder({ "closed/one": "decided\n", "closed/two": "SECRET two" });
    chmodSync(join(folder, "closed"), 0o700);
    const one = join(folder, "closed/one");
    expect(await run(`cat ${one}; ls ${folder}/closed`, { writable: [], readable: [one] })).toEqual([
      undefined,
      ["decided", "one"],
    ]);
  });
});
