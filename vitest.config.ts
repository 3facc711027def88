import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  resolve: { conditions: ["haft-source"] },
  ssr: { resolve: { conditions: ["haft-source"] } },
  test: {
    setupFiles: ["test/setup.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default", "./test/support/plain-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Much of the time goes to waiting for processes, so that as many files at once as there are cores are not too many.
    maxWorkers: "100%",
  },
};

export default config;
