import { expect, test } from "vitest";
import { typedName } from "./command.ts";

test.for([
  ["/clone/src/main.ts", "npx haft"],
  ["/home/ada/.npm/_npx/0a1b/node_modules/.bin/haft", "npx haft"],
  ["C:\\clone\\src\\main.ts", "npx haft"],
  ["/usr/local/bin/haft", "haft"],
  ["/usr/local/lib/node_modules/haft/bin/haft.js", "haft"],
])("typedName() of a haft started as %s is %s", ([path, name]) => {
  expect(typedName(["/usr/bin/node", path as string])).toBe(name);
});
