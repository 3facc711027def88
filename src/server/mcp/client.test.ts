import { expect, test } from "vitest";
import { compileGlob } from "../../base/index.ts";
import { identityOf } from "./client.ts";

test("identityOf() goes by the credential alone", () => {
  expect(identityOf({ transport: "stdio", principal: "local" })).toBe("mcp:stdio");
  expect(identityOf({ transport: "http", principal: "ada" })).toBe("mcp:ada");
});

test.for(["*", "**", "a?a", "{ada,eve}", "[a-z]*"])(
  "identityOf() of a token named %s stands for nobody else",
  (principal) => {
    const stands = compileGlob(identityOf({ transport: "http", principal }));
    expect(["mcp:ada", "mcp:eve", "mcp:stdio"].some(stands)).toBe(false);
    expect(stands(identityOf({ transport: "http", principal }))).toBe(true);
  },
);
