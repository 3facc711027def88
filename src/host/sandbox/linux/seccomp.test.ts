import { constants } from "node:os";
import { describe, expect, test } from "vitest";
import { systemCallFilter } from "./seccomp.ts";

const { EPERM, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT } = constants.errno;
const audit = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

interface Call {
  readonly number: number;
  readonly audit: number;
  readonly args?: readonly number[];
}

/** Runs a program as the kernel does: what it answers, by name or as an error number. */
function decide(program: Uint8Array, { number, audit: architecture, args = [] }: Call): string | number {
  const code = Buffer.from(program);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; ; at++) {
    const [op, value] = [code.readUInt16LE(at * 8), code.readUInt32LE(at * 8 + 4)];
    const jump = (holds: boolean) => code.readUInt8(at * 8 + (holds ? 2 : 3));
    if (op === 0x20) loaded = data.readUInt32LE(value);
    else if (op === 0x15) at += jump(loaded === value);
    else if (op === 0x35) at += jump(loaded >= value);
    else if (op === 0x45) at += jump((loaded & value) !== 0);
    else if (op !== 0x06) throw new Error(`Cannot run instruction ${op}: the kernel does not know it`);
    else if (value === 0x7fff_0000) return "allow";
    else if (value === 0x8000_0000) return "kill";
    else if (value >>> 16 === 5) return value & 0xffff;
    else throw new Error(`Cannot read the answer ${value}: the kernel does not know it`);
  }
}

describe.each([
  {
    architecture: "x64",
    keyctl: 250,
    clone: 56,
    unshare: 272,
    ioctl: 16,
    socket: 41,
    read: 0,
    exit: 60,
    chmods: { 90: [0], 91: [0], 268: [0, 0], 452: [0, 0] },
  },
  {
    architecture: "arm64",
    keyctl: 219,
    clone: 220,
    unshare: 97,
    ioctl: 29,
    socket: 198,
    read: 63,
    exit: 93,
    chmods: { 52: [0], 53: [0, 0], 452: [0, 0] },
  },
] as const)("systemCallFilter() for $architecture", ({ architecture, chmods, ...numbers }) => {
  const program = systemCallFilter(architecture) as Uint8Array;
  const on = (number: number, ...args: number[]) =>
    decide(program, { number, audit: audit[architecture], args });

  test("lets everyday calls be made, and numbers that nobody knows yet", () => {
    expect([numbers.read, numbers.exit, 9999].map((number) => on(number))).toEqual([
      "allow",
      "allow",
      "allow",
    ]);
  });

  test("refuses what reaches past the walls, and says of new queues that there are none", () => {
    expect(on(numbers.keyctl)).toBe(EPERM);
    expect([425, 426, 427, 435].map((number) => on(number))).toEqual([ENOSYS, ENOSYS, ENOSYS, ENOSYS]);
  });

  test("lets processes and threads be made, and no user namespace, whatever else is asked for with it", () => {
    const [thread, user] = [0x003d_0f00, 0x1000_0000];
    expect([thread, 17, user, user | thread].map((flags) => on(numbers.clone, flags))).toEqual([
      "allow",
      "allow",
      EPERM,
      EPERM,
    ]);
    expect([0x400, user | 0x400].map((flags) => on(numbers.unshare, flags))).toEqual(["allow", EPERM]);
  });

  test("refuses to type into a terminal, also where the kernel ignores half of the request (CVE-2019-10063)", () => {
    expect([0x5413, 0x5412, 0x1_0000_5412, 0x541c].map((request) => on(numbers.ioctl, 0, request))).toEqual([
      "allow",
      EPERM,
      EPERM,
      EPERM,
    ]);
  });

  test("lets no program be made that runs with its owner's rights for everybody", () => {
    const modes = [0o755, 0o2775, 0o4755, 0o104755];
    for (const [number, before] of Object.entries(chmods))
      expect(modes.map((mode) => on(Number(number), ...before, mode))).toEqual([
        "allow",
        "allow",
        EPERM,
        EPERM,
      ]);
  });

  test("opens sockets of the internet, of the machine, and of its own addresses alone", () => {
    const netlink = (protocol: number) => on(numbers.socket, 16, 3, protocol);
    expect([1, 2, 10].map((family) => on(numbers.socket, family))).toEqual(["allow", "allow", "allow"]);
    expect([0, 15, 17, 38, 40].map((family) => on(numbers.socket, family))).toEqual(
      Array.from({ length: 5 }, () => EAFNOSUPPORT),
    );
    expect([netlink(0), netlink(9), netlink(12)]).toEqual(["allow", EPROTONOSUPPORT, EPROTONOSUPPORT]);
  });

  test("ends a program of another architecture, whose numbers mean something else", () => {
    for (const other of [0x4000_0003, 0x4000_0028, audit[architecture === "x64" ? "arm64" : "x64"]])
      expect(decide(program, { number: numbers.read, audit: other })).toBe("kill");
  });
});

test("systemCallFilter() knows no call by its x32 number", () => {
  const program = systemCallFilter("x64") as Uint8Array;
  expect(decide(program, { number: 0x4000_0000 + 250, audit: audit.x64 })).toBe(ENOSYS);
});

test("systemCallFilter() has none for an architecture whose numbers it does not know", () => {
  expect(systemCallFilter("s390x")).toBeUndefined();
});
