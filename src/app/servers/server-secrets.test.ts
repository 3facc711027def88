import { expect, test } from "vitest";
import { findSecrets, hasBareSecret, moveSecrets } from "./server-secrets.ts";

const long = "a-value-of-some-length";

test("findSecrets() goes by the name and by the shape, and leaves references and short values", () => {
  const server = {
    name: "s",
    env: {
      API_TOKEN: long,
      PLAIN: long,
      HIDDEN: "ghp_0123456789abcdef",
      A_KEY: "${A_KEY:-}",
      B_KEY: "secret:B_KEY",
      C_KEY: "short",
    },
    headers: { Authorization: `Bearer ${long}`, "X-Api-Key": long, Accept: "application/json" },
  };
  expect(findSecrets(server).map(({ key, value, prefix }) => [key, prefix, value])).toEqual([
    ["API_TOKEN", "", long],
    ["HIDDEN", "", "ghp_0123456789abcdef"],
    ["Authorization", "Bearer ", long],
    ["X-Api-Key", "", long],
  ]);
});

test("moveSecrets() names each secret after its variable, and takes no name that is taken", () => {
  const server = {
    name: "my.hub",
    env: { TOKEN: long, OTHER_KEY: long, PLAIN: "1" },
    headers: { Authorization: `Bearer ${long}` },
  };
  const taken = ["OTHER_KEY", "MY_HUB_OTHER_KEY"];
  expect(moveSecrets(server, findSecrets(server), taken)).toEqual({
    server: {
      name: "my.hub",
      env: { TOKEN: "${secret:TOKEN}", OTHER_KEY: "${secret:MY_HUB_OTHER_KEY_2}", PLAIN: "1" },
      headers: { Authorization: "Bearer ${secret:MY_HUB_AUTHORIZATION}" },
    },
    secrets: [
      { name: "TOKEN", value: long },
      { name: "MY_HUB_OTHER_KEY_2", value: long },
      { name: "MY_HUB_AUTHORIZATION", value: long },
    ],
  });
});

test.for([
  [{ args: ["--key=sk-0123456789"] }, true],
  [{ args: ["--verbose", "."] }, false],
  [{ url: `https://a.example/mcp?token=${long}` }, true],
  [{ url: "https://a.example/mcp?page=1" }, false],
] as const)("hasBareSecret(%j) is %s", ([part, expected]) => {
  expect(hasBareSecret({ name: "s", ...part })).toBe(expected);
});
