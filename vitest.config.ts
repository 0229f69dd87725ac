import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Two cores: one for the test, one for the server it talks to.
    maxWorkers: 2,
    testTimeout: 20_000,
  },
});
