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
  },
};

export default config;
