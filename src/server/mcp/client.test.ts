import { expect, test } from "vitest";
import { compileGlob } from "../../base/index.ts";
import { formatIdentity } from "./client.ts";

test("formatIdentity() goes by the credential alone", () => {
  expect(formatIdentity({ transport: "stdio", principal: "local" })).toBe("mcp:stdio");
  expect(formatIdentity({ transport: "http", principal: "ada" })).toBe("mcp:ada");
});

test.for(["*", "**", "a?a", "{ada,eve}", "[a-z]*"])(
  "formatIdentity() of a token named %s stands for nobody else",
  (principal) => {
    const stands = compileGlob(formatIdentity({ transport: "http", principal }));
    expect(["mcp:ada", "mcp:eve", "mcp:stdio"].some(stands)).toBe(false);
    expect(stands(formatIdentity({ transport: "http", principal }))).toBe(true);
  },
);
