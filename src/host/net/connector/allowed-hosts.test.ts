import fc from "fast-check";
import { expect, test } from "vitest";
import { AllowedHosts } from "./allowed-hosts.ts";
import { parseWebAddress } from "./web-address.ts";

function covers(entry: string, url: string): boolean {
  return new AllowedHosts([entry]).covers(parseWebAddress(url));
}

test("AllowedHosts.covers() takes a name as a whole, in any case, with any port unless one is given", () => {
  const covered = [
    ["python.org", "https://python.org/"],
    ["Python.ORG", "https://pYthon.org/"],
    ["python.org", "https://python.org./"],
    ["python.org.", "https://python.org/"],
    ["python.org", "http://python.org:8080/"],
    ["python.org:443", "https://python.org/"],
    ["python.org:8080", "http://python.org:8080/"],
    ["bücher.example", "https://xn--bcher-kva.example/"],
    ["xn--bcher-kva.example", "https://BÜCHER.example/"],
    ["localhost", "http://localhost:3000/"],
    ["my_host", "http://my_host/"],
  ] as const;
  expect(covered.filter(([entry, url]) => !covers(entry, url))).toEqual([]);
});

test("AllowedHosts.covers() is not fooled by names that look alike", () => {
  const refused = [
    "https://docs.python.org.evil.test/",
    "https://evil-docs.python.org.test/",
    "https://evildocs.python.org/",
    "https://evil.test/docs.python.org",
    "https://evil.test/?docs.python.org",
    "https://evil.test#docs.python.org",
    "https://python.org/",
    "https://a.docs.python.org/",
    "https://docs.pythonorg/",
    "https://docs.pyth\u043en.org/",
    "https://docs.python.org:8443/",
    "http://docs.python.org/",
  ];
  expect(refused.filter((url) => covers("docs.python.org:443", url))).toEqual([]);
});

test("AllowedHosts.covers() takes *.name for every host below it, and not for itself", () => {
  const below = ["https://docs.python.org/", "https://a.b.python.org/"];
  expect(below.filter((url) => !covers("*.python.org", url))).toEqual([]);
  const not = [
    "https://python.org/",
    "https://evil-python.org/",
    "https://python.org.evil.test/",
    "https://xpython.org/",
  ];
  expect(not.filter((url) => covers("*.python.org", url))).toEqual([]);
  expect(covers("*.3.4", "http://1.2.3.4/")).toBe(false);
});

test("AllowedHosts.covers() takes addresses and nets for literal addresses", () => {
  const covered = [
    ["127.0.0.1", "http://127.1/"],
    ["127.0.0.1:8080", "http://127.0.0.1:8080/"],
    ["127.0.0.0/8", "http://127.9.9.9:1/"],
    ["::1", "http://[::1]/"],
    ["[::1]:8080", "http://[0::1]:8080/"],
    ["fd00::/8", "http://[fd12::1]/"],
    ["10.0.0.1", "http://[::ffff:10.0.0.1]/"],
  ] as const;
  expect(covered.filter(([entry, url]) => !covers(entry, url))).toEqual([]);
  const refused = [
    ["127.0.0.1", "http://127.0.0.2/"],
    ["127.0.0.1:8080", "http://127.0.0.1/"],
    ["127.0.0.0/8", "http://127.0.0.1.nip.io/"],
    ["10.0.0.0/8", "http://[2002:a00:1::]/"],
    ["10.0.0.1", "http://[64:ff9b::a00:1]/"],
    ["127.0.0.1", "http://localhost/"],
  ] as const;
  expect(refused.filter(([entry, url]) => covers(entry, url))).toEqual([]);
});

test("AllowedHosts allows nothing for an entry it cannot read", () => {
  const entries = [
    "",
    " ",
    "*.",
    "a.*.org",
    "*python.org",
    "https://python.org",
    "python.org/",
    "user@python.org",
    "python.org?",
    "python.org#",
    "python.org:0",
    "python.org:99999",
    "python.org:x",
    "python..org",
    ".python.org",
    "python.org\u0000",
    "python.org\n",
    "10.0.0.0/99",
    "[::1",
    "%70ython.org",
  ];
  const hosts = new AllowedHosts(entries.filter((entry) => entry !== "python.org\n"));
  expect(hosts.covers(parseWebAddress("https://python.org/"))).toBe(false);
  expect(hosts.covers(parseWebAddress("http://10.0.0.0/"))).toBe(false);
  expect(hosts.covers(parseWebAddress("http://[::1]/"))).toBe(false);
});

test("AllowedHosts.covers() takes * for every host, and opens no address by it", () => {
  const hosts = new AllowedHosts(["*"]);
  const target = parseWebAddress("http://anything.example:81/");
  expect(hosts.covers(target)).toBe(true);
  expect(hosts.opens(target, { address: "10.0.0.1", rule: "private" })).toBe(false);
});

test("AllowedHosts.opens() takes private names and the names below them for the nets of their owner, and no others", () => {
  const privately = { address: "10.0.0.1", rule: "private" } as const;
  const loopback = { address: "127.0.0.1", rule: "loopback" } as const;
  const linkLocal = { address: "169.254.0.1", rule: "link-local" } as const;
  const opens = (
    entry: string,
    url: string,
    checked: typeof privately | typeof loopback | typeof linkLocal,
  ) => new AllowedHosts([entry]).opens(parseWebAddress(url), checked);
  expect(opens("*.corp.internal", "http://db.corp.internal/", privately)).toBe(true);
  expect(opens("nas", "http://nas:5000/", privately)).toBe(true);
  expect(opens("*.localhost", "http://api.localhost/", loopback)).toBe(true);
  expect(opens("localhost", "http://localhost/", privately)).toBe(false);
  expect(opens("nas", "http://nas/", linkLocal)).toBe(false);
  expect(opens("nas:80", "http://nas:81/", privately)).toBe(false);
  expect(opens("*.example.com", "http://internal.example.com/", privately)).toBe(false);
  expect(opens("10.0.0.0/8", "http://anything.example.com/", privately)).toBe(true);
});

test("AllowedHosts.covers() holds for a name exactly where its labels are equal", () => {
  const label = fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,5}[a-z0-9])?$/).filter((text) => !/^..--/.test(text));
  const name = fc.array(label, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(name, name, (allowed, asked) => {
      const url = `https://${asked.join(".")}/`;
      expect(covers(allowed.join("."), url)).toBe(allowed.join(".") === asked.join("."));
      const isBelow =
        asked.length > allowed.length && asked.slice(-allowed.length).join(".") === allowed.join(".");
      expect(covers(`*.${allowed.join(".")}`, url)).toBe(isBelow);
      expect(covers(`*.${asked.join(".")}`, `https://x${url.slice(8)}`)).toBe(false);
      expect(covers(`*.${asked.join(".")}`, `https://x.${url.slice(8)}`)).toBe(true);
    }),
  );
});
