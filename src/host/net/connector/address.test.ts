import fc from "fast-check";
import { expect, test } from "vitest";
import { type AddressRule, checkAddress, parseNet } from "./address.ts";

const closed: readonly (readonly [string, AddressRule])[] = [
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["::1", "loopback"],
  ["0.0.0.0", "unspecified"],
  ["::", "unspecified"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["fc00::1", "private"],
  ["fdff::1", "private"],
  ["fec0::1", "private"],
  ["169.254.0.1", "link-local"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["169.254.169.254", "cloud metadata"],
  ["168.63.129.16", "cloud metadata"],
  ["100.100.100.200", "cloud metadata"],
  ["192.0.0.192", "cloud metadata"],
  ["fd00:ec2::254", "cloud metadata"],
  ["fd00:0ec2:0::0:254", "cloud metadata"],
  ["198.18.0.1", "benchmark"],
  ["198.19.255.255", "benchmark"],
  ["2001:2::1", "benchmark"],
  ["224.0.0.1", "multicast"],
  ["ff02::1", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["240.0.0.1", "reserved"],
  ["192.0.2.1", "reserved"],
  ["203.0.113.7", "reserved"],
  ["2001:db8::1", "reserved"],
  ["100::1", "reserved"],
  ["4000::1", "reserved"],
  ["5f00::1", "reserved"],
];

test("checkAddress() names the rule of every address that is not public", () => {
  expect(closed.map(([address]) => [address, checkAddress(address).rule])).toEqual(closed);
});

test("checkAddress() lets public addresses pass", () => {
  const addresses = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "2606:4700:4700::1111",
  ];
  expect(addresses.map((address) => checkAddress(address))).toEqual(
    addresses.map((address) => ({ address, rule: undefined })),
  );
});

test("checkAddress() takes what is no address for reserved", () => {
  for (const text of ["", "example.com", "127.1", "0x7f.1", "0177.0.0.1", "1.2.3.4.5", "::g", "2130706433"]) {
    expect(checkAddress(text)).toEqual({ address: text, rule: "reserved" });
  }
});

const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.nat(255)));
const hex = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
const pairs = (bytes: readonly number[]) => `${hex(bytes.slice(0, 2))}:${hex(bytes.slice(2))}`;

/** Every way to write an IPv4 address as an IPv6 one, and whether a public one stays public in it. */
const wrappings: readonly { name: string; wrap: (bytes: readonly number[]) => string; passes: boolean }[] = [
  { name: "mapped", wrap: (bytes) => `::ffff:${bytes.join(".")}`, passes: true },
  { name: "mapped, in hex", wrap: (bytes) => `0:0:0:0:0:ffff:${pairs(bytes)}`, passes: true },
  { name: "NAT64", wrap: (bytes) => `64:ff9b::${pairs(bytes)}`, passes: true },
  { name: "SIIT", wrap: (bytes) => `::ffff:0:${pairs(bytes)}`, passes: true },
  { name: "local NAT64", wrap: (bytes) => `64:ff9b:1::${pairs(bytes)}`, passes: false },
  { name: "6to4", wrap: (bytes) => `2002:${pairs(bytes)}::1`, passes: false },
  {
    name: "Teredo",
    wrap: (bytes) => `2001:0:4136:e378:8000:63bf:${pairs(bytes.map((byte) => byte ^ 255))}`,
    passes: false,
  },
  { name: "ISATAP", wrap: (bytes) => `2606:4700::5efe:${pairs(bytes)}`, passes: false },
  { name: "compatible", wrap: (bytes) => `::${pairs(bytes)}`, passes: false },
];

test.for(wrappings)(
  "checkAddress() judges a $name address by the IPv4 address inside",
  ({ wrap, passes }) => {
    fc.assert(
      fc.property(octets, (bytes) => {
        const plain = checkAddress(bytes.join("."));
        const wrapped = checkAddress(wrap(bytes));
        if (plain.rule !== undefined) expect(wrapped.rule).toBeDefined();
        else expect(wrapped.rule).toBe(passes ? undefined : "reserved");
      }),
      { numRuns: 2_000 },
    );
  },
);

test("checkAddress() closes every address of a closed net, whatever its form", () => {
  const nets = [
    [127, 8],
    [10, 8],
    [0, 8],
    [224, 4],
    [240, 4],
  ] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...nets),
      octets,
      fc.constantFrom(...wrappings),
      ([base, bits], bytes, { wrap }) => {
        const free = 8 - bits;
        const first = base | ((bytes[0] as number) & ((1 << free) - 1));
        const address = [first, ...bytes.slice(1)];
        expect(checkAddress(address.join(".")).rule).toBeDefined();
        expect(checkAddress(wrap(address)).rule).toBeDefined();
      },
    ),
    { numRuns: 2_000 },
  );
});

test("checkAddress() lets no IPv6 address pass outside 2000::/3, NAT64 and SIIT", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const checked = checkAddress(address);
      if (checked.rule !== undefined || checked.inside !== undefined || !checked.address.includes(":"))
        return;
      expect(checked.address).toMatch(/^[23][0-9a-f]{3}:/);
    }),
    { numRuns: 5_000 },
  );
});

test("parseNet() contains its addresses, mapped ones too, and no tunnel to them", () => {
  const net = parseNet("10.0.0.0/8");
  expect(["10.1.2.3", "::ffff:10.1.2.3"].map((address) => net?.contains(address))).toEqual([true, true]);
  const others = ["11.0.0.1", "2002:a01:203::", "64:ff9b::a01:203", "2606:4700::5efe:a01:203", "x"];
  expect(others.map((address) => net?.contains(address))).toEqual(others.map(() => false));
});

test("parseNet() reads single addresses and nets, and nothing else", () => {
  expect(parseNet("::1")?.isSingle).toBe(true);
  expect(parseNet("127.0.0.1/32")?.isSingle).toBe(true);
  expect(parseNet("fd00::/8")?.contains("fd12::1")).toBe(true);
  for (const text of [
    "",
    "x",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "fd00::/129",
    "10.0.0/8",
  ]) {
    expect(parseNet(text)).toBeUndefined();
  }
});
