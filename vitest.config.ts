import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { ViteUserConfig } from "vitest/config";
import LongestFirst from "./test/support/longest-first.ts";
import { startBuilt } from "./test/support/started-built.ts";

// Hundreds of programs are started, most of them the same few: compiled code is kept where haft itself keeps it.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache");

// Tests expect the days of UTC, wherever they run; those about other zones set their own.
process.env["TZ"] = "UTC";

// Nor do they depend on the user's language, which some programs complain of, configuration of git, or umask.
for (const name of Object.keys(process.env))
  if (/^(?:LANG|LANGUAGE|LC_\w+)$/.test(name)) delete process.env[name];
process.env["LANG"] = "C.UTF-8";
process.env["GIT_CONFIG_GLOBAL"] = "/dev/null";
process.env["GIT_CONFIG_NOSYSTEM"] = "1";
process.umask(0o022);

const config: ViteUserConfig = {
  plugins: [startBuilt],
  resolve: { conditions: ["haft-source"] },
  ssr: { resolve: { conditions: ["haft-source"] } },
  test: {
    globalSetup: ["test/run.ts", "test/build.ts"],
    setupFiles: ["test/setup.ts"],
    // What lies beside the code shares its workers: a fresh one costs 0.2 s a file.
    projects: [
      { extends: true, test: { name: "src", include: ["src/**/*.test.ts"], isolate: false } },
      { extends: true, test: { name: "test", include: ["test/**/*.test.ts"] } },
    ],
    reporters: ["default", "./test/support/plain-reporter.ts"],
    // On a busy machine, what takes 2 s may take a minute.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for comes, on a machine that has much else to do too.
    expect: { poll: { timeout: 30_000 } },
    // Much of the time goes to waiting for processes: two files more than there are cores fill it.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
  },
};

export default config;
