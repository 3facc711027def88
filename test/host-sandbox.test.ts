import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UndoFolder, Workspace } from "../src/host/index.ts";
import type { ConfinedRequest } from "./support/confined-run.ts";
import { base, makePlace, type Place, runAs, toRequest, usersHere } from "./support/sandbox-place.ts";

const { users, inSandbox } = await usersHere();

describe.for(users)("A command in the sandbox, started by %s,", inSandbox, (user) => {
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
