import { expect, test } from "vitest";
import { isLoopbackHost, toHttpOrigin } from "./http-address.ts";

test.for(["localhost", "LocalHost", "app.localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])(
  "isLoopbackHost() knows %s as this machine",
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);

test.for([
  "127.example.com",
  "127.0.0.1.nip.io",
  "127.0.0.1.example.com",
  "127.1",
  "localhost.example.com",
  "notlocalhost",
  "0.0.0.0",
  "::",
  "192.168.1.5",
  "",
])("isLoopbackHost() takes %s for another machine", (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

test.for([
  ["127.0.0.1", "http://127.0.0.1:80"],
  ["0.0.0.0", "http://127.0.0.1:80"],
  ["::", "http://[::1]:80"],
  ["fd00::1", "http://[fd00::1]:80"],
  ["haft.example.com", "http://haft.example.com:80"],
] as const)("toHttpOrigin() reaches a listener on %s at %s", ([host, origin]) => {
  expect(toHttpOrigin(host, 80)).toBe(origin);
});
