import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ConfinedRequest } from "./support/confined-run.ts";
import { makePlace, type Place, runAs, toRequest, usersHere } from "./support/sandbox-place.ts";

let count = 0;

const { users, inSandbox } = await usersHere();

describe.for(users)("A command in the sandbox, started by %s,", inSandbox, (user) => {
  const run = (place: Place, line: string, more?: Partial<ConfinedRequest>) =>
    runAs(user, toRequest(place, line, more));

  test("can't start more processes than it may, and all of them are gone afterwards", async () => {
    const place = makePlace(user);
    const marker = `bomb-${process.pid}-${++count}`;
    // Each of the four ends where it may start no more; without a limit all would be left, waiting, at 4096.
    const bomb =
      "for i in 1 2 3 4; do (n=0; while [ $((n+=1)) -le 1024 ]; do sleep 60 & done; wait) & done; wait";
    // Counted once the bomb is over. Bash must not fork now: it would wait, and try again.
    const line = `mkfifo /tmp/wait; exec 3<>/tmp/wait; sh -c '${bomb}' 2>/dev/null & for i in {1..300}; do kill -0 $! 2>/dev/null || break; read -t 0.1 -u 3; done; set -- /proc/[0-9]*; echo $#`;
    const { stdout, remaining } = await run(place, line, {
      timeoutMs: 50_000,
      options: { atLeast: "none", limits: { processes: 64 } },
      environment: { PATH: "/usr/bin:/bin", MARKER: marker },
    });
    expect(Number(stdout)).toBeGreaterThan(50);
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
