import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { Processes, Sandbox, UndoFolder, Workspace } from "../src/host/index.ts";
import type { ConfinedOutcome, ConfinedRequest } from "./support/confined-run.ts";
import { listenOnLoopback } from "./support/loopback.ts";
import { levelsHere } from "./support/sandbox-levels.ts";

const program = join(import.meta.dirname, "support/confined-run.ts");
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

type User = "root" | "another user" | "this user";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-escape-")));
chmodSync(base, 0o755);
const servers: { close(): unknown }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(base, { recursive: true, force: true });
});

/** A home with a secret and a workspace, and haft's own folder, of one user. */
interface Place {
  readonly home: string;
  readonly work: string;
  readonly own: string;
  readonly outside: string;
}

let count = 0;

function makePlace(user: User): Place {
  const root = join(base, `place-${++count}`);
  const place: Place = {
    home: join(root, "home"),
    work: join(root, "home", "work"),
    own: join(root, "home", ".haft"),
    outside: join(root, "outside"),
  };
  for (const folder of [root, place.home, place.work, place.own, place.outside, join(place.home, ".ssh")])
    mkdirSync(folder);
  mkdirSync(join(place.work, ".git"));
  writeFileSync(join(place.home, ".ssh", "id_rsa"), "SECRET key");
  writeFileSync(join(place.home, "notes"), "SECRET notes");
  writeFileSync(join(place.own, "haft.db"), "SECRET store");
  writeFileSync(join(place.outside, "file"), "SECRET outside");
  if (user === "another user") for (const path of everythingBelow(root)) chownSync(path, nobody, nobody);
  return place;
}

function everythingBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return [folder, ...names.map((name) => join(folder, name))];
}

function toRequest(place: Place, line: string, more: Partial<ConfinedRequest> = {}): ConfinedRequest {
  return {
    line,
    cwd: place.work,
    // Node may stand among temporary files, which the command has its own of.
    environment: { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, HOME: place.home },
    timeoutMs: 20_000,
    ...more,
    bounds: { writable: [place.work], ...more.bounds },
    options: {
      atLeast: "none",
      hidden: [place.own],
      protected: [join(place.work, "haft.config.yml"), join(place.work, ".haft/tools")],
      ...more.options,
    },
  };
}

function runAs(user: User, request: ConfinedRequest): Promise<ConfinedOutcome> {
  const command = [process.execPath, program, JSON.stringify(request)];
  const other = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"];
  const [file = "", ...args] = user === "another user" ? [...other, ...command] : command;
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("close", () => {
      try {
        resolve(JSON.parse(said) as ConfinedOutcome);
      } catch (cause) {
        reject(new Error(`Cannot read what the sandboxed command came to: ${said}`, { cause }));
      }
    });
  });
}

async function usersHere(): Promise<User[]> {
  if (!isRoot) return ["this user"];
  const outcome = await runAs("another user", toRequest(makePlace("another user"), "true")).catch(
    () => undefined,
  );
  if (outcome?.level === "bubblewrap") return ["root", "another user"];
  console.warn(
    "Escapes of another user than root are not tested here: bubblewrap, node or setpriv does not run as one",
  );
  return ["root"];
}

const levels = await levelsHere();
const strong = levels.includes("bubblewrap");
const users = strong ? await usersHere() : [];

describe.runIf(strong).for(users)("A command in bubblewrap, started by %s,", (user) => {
  const run = (place: Place, line: string, more?: Partial<ConfinedRequest>) =>
    runAs(user, toRequest(place, line, more));

  test("has no rights, and can't make the system writable by mounting it again", async () => {
    const place = makePlace(user);
    const { stdout } = await run(
      place,
      `grep -E '^Cap(Eff|Bnd):' /proc/self/status
       mount -o remount,rw,bind / 2>/dev/null && echo remounted
       unshare -Urm mount -o remount,rw,bind / 2>/dev/null && echo remounted in another
       umount -l ${place.own} 2>/dev/null && echo unmounted
       touch /usr/made /etc/made /made 2>/dev/null && echo made
       for file in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger /sys/kernel/uevent_helper; do
         [ -w $file ] && echo $file
       done`,
    );
    expect(stdout.replace(/Cap...:\s0{16}\n/g, "")).toBe("");
    expect([existsSync("/usr/made"), existsSync("/etc/made"), existsSync("/made")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("changes its folder and nothing else", async () => {
    const place = makePlace(user);
    const name = `haft-mine-${process.pid}`;
    const { stdout } = await run(
      place,
      `echo x > made && echo in
       echo x > ${place.outside}/file && echo outside
       echo x > ${place.home}/notes; echo x > /tmp/${name} && cat /tmp/${name}`,
    );
    expect(stdout).toBe("in\nx\n");
    expect(readFileSync(join(place.work, "made"), "utf8")).toBe("x\n");
    expect(readFileSync(join(place.outside, "file"), "utf8")).toBe("SECRET outside");
    expect(readFileSync(join(place.home, "notes"), "utf8")).toBe("SECRET notes");
    expect(existsSync(join("/tmp", name))).toBe(false);
  });

  test("sees no home, no key, nothing of haft, and none of the system's secrets", async () => {
    const place = makePlace(user);
    const paths = [".ssh/id_rsa", "notes", ".haft/haft.db"].map((name) => join(place.home, name));
    const { stdout } = await run(
      place,
      `cat ${paths.join(" ")} ${place.outside}/file /etc/shadow /etc/gshadow; ls -A ${place.home}; ls -A /run`,
    );
    expect(stdout).toBe("work\n");
  });

  test("sees no secret of a home that it may change, and none of haft; shells start as before", async () => {
    const place = makePlace(user);
    const { stdout } = await run(
      place,
      `cat ../.ssh/id_rsa ../.haft/haft.db; echo evil >> ../.bashrc; echo evil > ../.haft/config.yml; echo evil > ../.ssh/authorized_keys; mv ../.haft ../old; echo x > ../made; cat ../notes`,
      { bounds: { writable: [place.home] } },
    );
    expect(stdout).toBe("SECRET notes");
    expect(readdirSync(place.home).sort()).toEqual([".haft", ".ssh", "made", "notes", "work"]);
    expect(readdirSync(place.own)).toEqual(["haft.db"]);
  });

  test("reads what was decided to be read, and not what lies beside it", async () => {
    const place = makePlace(user);
    const { stdout } = await run(
      place,
      `cat ../notes ${place.outside}/file; echo x > ../notes; cat ../.ssh/id_rsa`,
      {
        bounds: { writable: [place.work], readable: [join(place.home, "notes")] },
      },
    );
    expect(stdout).toBe("SECRET notes");
    expect(readFileSync(join(place.home, "notes"), "utf8")).toBe("SECRET notes");
  });

  test("can't make what is protected, where it is not there yet (CVE-2026-25725)", async () => {
    const place = makePlace(user);
    writeFileSync(join(place.work, ".git/config"), "[core]\n");
    const { stdout } = await run(
      place,
      `for path in haft.config.yml .haft/tools .haft/tools/evil.md .git/config .git/hooks .git/hooks/pre-commit; do
         rm -rf $path; mkdir -p $(dirname $path); echo evil > $path; mkdir $path; ln -sf /etc/passwd $path; mv made $path
       done; mv .git old-git; mv .haft old-haft; touch made; echo done`,
    );
    expect(stdout).toBe("done\n");
    expect(readFileSync(join(place.work, ".git/config"), "utf8")).toBe("[core]\n");
    expect(readdirSync(place.work).sort()).toEqual([".git", "made"]);
    expect(readdirSync(join(place.work, ".git"))).toEqual(["config"]);
  });

  test("sees homes without what is hidden in them, one hidden path in another", async () => {
    const place = makePlace(user);
    const { stdout, stderr, error } = await run(place, "ls -A ..; ls -A ../.haft; cat ../.haft/haft.db", {
      bounds: { writable: [place.work], readable: [place.home] },
      options: { atLeast: "none", hidden: [place.own, join(place.own, "haft.db"), join(place.own, "more")] },
    });
    expect([error, stdout.split("\n").sort()]).toEqual([undefined, ["", ".haft", ".ssh", "notes", "work"]]);
    expect(stderr).toMatch(/haft\.db: No such file/);
  });

  test("is refused where what is protected is a link that it could exchange", async () => {
    const place = makePlace(user);
    symlinkSync(join(place.outside, "file"), join(place.work, "haft.config.yml"));
    const { error } = await run(place, "true");
    expect(error).toMatch(/Cannot keep .* from being changed .* is a link/);
  });

  test("leaves links that lead nowhere for haft's own file tools (CVE-2026-39861)", async () => {
    const place = makePlace(user);
    await run(
      place,
      `ln -s ${place.outside}/file link; ln -s ${place.outside} folder; ln -s ${place.own} own`,
    );
    const workspace = new Workspace({ undo: new UndoFolder(join(base, "undo")), hiddenPaths: [place.own] });
    const access = { allowedPaths: [place.work], effects: [], signal: new AbortController().signal };
    for (const path of ["link", "folder/file", "own/haft.db"]) {
      expect(workspace.locate(path, access)).toMatchObject({ within: false });
      await expect(async () => workspace.open(path, access)).rejects.toMatchObject({
        code: expect.stringMatching(/^(PATH|FILE)_/),
      });
    }
  });

  test("has temporary folders of its own, so that no name planted there is anybody's (CVE-2026-46406)", async () => {
    const place = makePlace(user);
    const name = `haft-planted-${process.pid}`;
    const first = await run(
      place,
      `ln -s ${place.outside}/file /tmp/${name} && echo planted; ls -d /tmp/haft-*`,
    );
    const second = await run(
      place,
      `ls /tmp /var/tmp /dev/shm | grep ${name}; echo x > /tmp/${name}; echo $TMPDIR`,
      {
        environment: { PATH: "/usr/bin:/bin", TMPDIR: "/tmp/none" },
      },
    );
    expect([first.stdout.split("\n")[0], second.stdout]).toEqual(["planted", "/tmp\n"]);
    expect(existsSync(join("/tmp", name))).toBe(false);
    expect(readFileSync(join(place.outside, "file"), "utf8")).toBe("SECRET outside");
  });

  test("reaches no socket of the machine", async () => {
    const place = makePlace(user);
    const path = isRoot ? `/run/haft-test-${process.pid}-${count}.sock` : join(place.outside, "sock");
    const server = await listenAt(path);
    chmodSync(path, 0o777);
    const abstract = await listenAt(`\0haft-${process.pid}-${count}`);
    const script = `const s=require("net").connect(process.argv[1].replace("@","\\0"));s.on("connect",()=>console.log("reached"));s.on("error",e=>console.log(e.code))`;
    const { stdout } = await run(
      place,
      `for at in ${path} @haft-${process.pid}-${count}; do ${process.execPath} -e '${script}' $at; done`,
    );
    server.close();
    abstract.close();
    expect(stdout.trim().split("\n")).toEqual(["ENOENT", "ECONNREFUSED"]);
  });

  test("has no network, and asks no name server (CVE-2025-55284)", async () => {
    const place = makePlace(user);
    const server = await countConnections();
    const { stdout } = await run(
      place,
      `(exec 3<>/dev/tcp/127.0.0.1/${server.port}) 2>/dev/null && echo connected
       (exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null && echo connected
       getent ahosts secret.example.com && echo resolved
       sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' '; cat /proc/net/route | sed 1d`,
    );
    expect([stdout, server.close()]).toEqual(["lo\n", 0]);
  });

  test("reaches the hosts it was given, and only them, through the proxy", async () => {
    const place = makePlace(user);
    const [open, shut] = [
      await listenOnLoopback((_, response) => response.end("hello")),
      await countConnections(),
    ];
    const url = new URL(open.url);
    const request = `const [u,p]=process.argv.slice(1);const s=require("net").connect(3128,"127.0.0.1");s.write(p.replaceAll("|","\\r\\n").replaceAll("~","\\0"));s.on("data",d=>process.stdout.write(d.toString().split("\\r\\n")[0]+"\\n"));s.on("error",()=>{})`;
    const ask = (text: string) => `${process.execPath} -e '${request}' x '${text}'`;
    const { stdout, refusedHosts, stderr } = await run(
      place,
      [
        ask(`GET http://${url.host}/ HTTP/1.1|Host: evil.test|Connection: close||`),
        ask(`CONNECT ${url.host} HTTP/1.1|Host: ${url.host}||`).replace(
          's.on("data",d=>',
          's.on("data",d=>s.destroy()&&',
        ),
        ask(`CONNECT 127.0.0.1:${shut.port} HTTP/1.1||`),
        ask("CONNECT 169.254.169.254:80 HTTP/1.1||"),
        ask(`CONNECT evil~.${url.host} HTTP/1.1||`),
        ask(`CONNECT me@${url.host} HTTP/1.1||`),
        ask(`GET http://me:x@${url.host}/ HTTP/1.1|Host: ${url.host}||`),
        ask("GET / HTTP/1.1|Host: localhost||"),
        `exec 3<>/dev/tcp/${url.hostname}/${url.port} || echo direct refused`,
      ].join("\n"),
      { bounds: { writable: [place.work], hosts: [url.host], allowedHosts: [url.host] } },
    );
    expect({
      lines: stdout.split("\n"),
      stderr: stderr.includes("refused"),
      connections: shut.close(),
    }).toEqual({
      lines: [
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 Connection Established",
        "HTTP/1.1 403 Forbidden",
        "HTTP/1.1 403 Forbidden",
        expect.stringMatching(/^HTTP\/1\.1 40[03]/),
        "HTTP/1.1 403 Forbidden",
        "HTTP/1.1 403 Forbidden",
        "HTTP/1.1 403 Forbidden",
        "direct refused",
        "",
      ],
      stderr: true,
      connections: 0,
    });
    expect(refusedHosts).toEqual([`127.0.0.1:${shut.port}`, "169.254.169.254:80"]);
  });

  test("can't start more processes than it may, and all of them are gone afterwards", async () => {
    const place = makePlace(user);
    const marker = `bomb-${process.pid}-${count}`;
    // Without a limit it would be at 2^12 when they are counted; bash, which waits and tries again, must not fork then.
    const bomb = "b() { [ $1 -gt 12 ] && exec sleep 60; b $(($1+1)) & b $(($1+1)) & wait; }; b 0";
    const line = `mkfifo /tmp/wait; exec 3<>/tmp/wait; sh -c '${bomb}' 2>/dev/null & read -t 1 -u 3; set -- /proc/[0-9]*; echo $#`;
    const { stdout, remaining } = await run(place, line, {
      options: { atLeast: "none", limits: { processes: 64 } },
      environment: { PATH: "/usr/bin:/bin", MARKER: marker },
    });
    expect(Number(stdout)).toBeGreaterThan(5);
    expect(Number(stdout)).toBeLessThanOrEqual(70);
    expect(remaining).toBe(0);
    expect(withMarker(marker)).toEqual([]);
    expect((await run(place, "echo next")).stdout).toBe("next\n");
  });

  test("can't take more memory than it may", async () => {
    const place = makePlace(user);
    const hog = `${process.execPath} -e 'const kept=[];for(let i=0;i<40;i++)kept.push(Buffer.alloc(2**25,1));console.log("took it all")'`;
    const limits = { memoryBytes: 400 * 2 ** 20 };
    const { stdout, exitCode } = await run(place, hog, { options: { atLeast: "none", limits } });
    expect([stdout, exitCode === 0]).toEqual(["", false]);
    const enough = await run(place, hog, { options: { atLeast: "none" } });
    expect(enough.stdout).toBe("took it all\n");
  });

  test("can't fill the disk with one file, nor the temporary folder", async () => {
    const place = makePlace(user);
    const limits = { fileBytes: 2 ** 20, temporaryBytes: 2 ** 20 };
    const { stdout } = await run(
      place,
      "head -c 9000000 /dev/zero > big 2>/dev/null; stat -c %s big; for i in 1 2 3 4; do head -c 500000 /dev/zero > /tmp/$i 2>/dev/null; done; du -xsk /tmp | cut -f1",
      { options: { atLeast: "none", limits } },
    );
    const [big, temporary] = stdout.split("\n").map(Number);
    expect([big, (temporary ?? 0) <= 1024]).toEqual([2 ** 20, true]);
  });

  test("floods its output without filling our memory, and the result says what is missing", async () => {
    const place = makePlace(user);
    const { stdout, totalBytes, omittedBytes, rss } = await run(
      place,
      "head -c 1000000000 /dev/zero | tr '\\0' '\\377'; echo last",
      {
        timeoutMs: 60_000,
        maxOutputBytes: 100_000,
      },
    );
    expect({
      totalBytes,
      omittedBytes,
      end: stdout.slice(-5),
      marked: stdout.includes("of output left out here"),
    }).toEqual({
      totalBytes: 1_000_000_005,
      omittedBytes: 999_900_005,
      end: "last\n",
      marked: true,
    });
    expect(rss).toBeLessThan(200 * 2 ** 20);
  });

  test("gets variables that programs around it must not see, and no descriptor of ours", async () => {
    const place = makePlace(user);
    const evil = join(place.work, "evil.so");
    writeFileSync(evil, "no library");
    const { stdout, stderr } = await run(place, 'echo "$LD_PRELOAD $ORDINARY"; ls /proc/self/fd | wc -l', {
      environment: { PATH: "/usr/bin:/bin", LD_PRELOAD: evil, ORDINARY: "value" },
    });
    // 0, 1, 2 and the one by which `ls` reads the folder.
    expect(stdout).toBe(`${evil} value\n4\n`);
    // Each program inside says that it can't load it; bubblewrap would have said so under its own name.
    expect(stderr).not.toMatch(/bwrap/);
  });
});

/** A workspace whose configuration does not exist and is protected, and what runs a line in it. */
function openHeld() {
  const place = makePlace("this user");
  const config = join(place.work, "haft.config.yml");
  const processes = new Processes({ sandbox: new Sandbox({ protected: [config] }) });
  const run = (line: string) =>
    processes.runShell(line, {
      cwd: place.work,
      environment: { PATH: "/usr/bin:/bin" },
      signal: AbortSignal.timeout(20_000),
      bounds: { writable: [place.work] },
    });
  return { place, config, processes, run };
}

describe.runIf(strong)("The place of a protected file that does not exist", () => {
  test("is held while any command runs, and given back with the last", async () => {
    const { place, config, run, processes } = openHeld();
    await using _closing = processes;
    const slow = run(
      "until [ -e go ]; do sleep 0.01; done; echo evil > haft.config.yml; mv go haft.config.yml; cat haft.config.yml",
    );
    await until(() => existsSync(config));
    const quick = await run("echo evil > haft.config.yml");
    expect([quick.exitCode === 0, existsSync(config), statSync(config).size]).toEqual([false, true, 0]);
    writeFileSync(join(place.work, "go"), "");
    expect((await slow).stdout.text).toBe("");
    expect(existsSync(config)).toBe(false);
  });

  test("is held for the last command too, where the first one ends before it", async () => {
    const { place, config, run, processes } = openHeld();
    await using _closing = processes;
    const first = run("until [ -e second ]; do sleep 0.01; done");
    await until(() => existsSync(config));
    const last = run("touch second; until [ -e go ]; do sleep 0.01; done; echo evil > haft.config.yml");
    await first;
    writeFileSync(join(place.work, "go"), "");
    expect((await last).exitCode).not.toBe(0);
    expect(existsSync(config)).toBe(false);
  });

  test("keeps what somebody else writes there meanwhile", async () => {
    const place = makePlace("this user");
    const config = join(place.work, "haft.config.yml");
    const { holdPlace } = await import("../src/host/sandbox/stubs.ts");
    const release = holdPlace(config, "file");
    writeFileSync(config, "mine");
    release?.();
    expect(readFileSync(config, "utf8")).toBe("mine");
  });
});

function withMarker(marker: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(marker);
    } catch {
      return false;
    }
  });
}

function listenAt(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end());
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

async function countConnections(): Promise<{ port: number; close(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      server.close();
      return connections;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries === 1000) throw new Error("Cannot wait any longer: the condition still does not hold");
    await delay(10);
  }
}
