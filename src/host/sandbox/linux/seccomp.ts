import { constants } from "node:os";

/*
 * What the kernel refuses to a command in the sandbox, as a classic BPF program (seccomp(2)). It takes away what
 * reaches past the walls, such as the keys of haft's session, and the parts of the kernel in which most faults are found
 * and which no everyday program needs. What the kernel refuses anyway to whoever has no capabilities is not named again.
 */

/** The number for a system call that an architecture does not have: no call has it. */
const nowhere = 0x3fff_ffff;

/** On x86-64, and on arm64, whose numbers newer architectures share. */
const numbers = {
  // Keys of the session that haft runs in.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Programs and queues inside the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Files by number instead of by path, and what the kernel has logged.
  open_by_handle_at: [304, 265],
  syslog: [103, 116],
  // Other kernels, namespaces and mounts: the ways to unmake the sandbox, were there a capability to use them.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  setns: [308, 268],
  unshare: [272, 97],
  clone: [56, 220],
  clone3: [435, 435],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  // Those of which only some uses are refused.
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  chmod: [90, nowhere],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  // Those that are made to set up a sandbox.
  prctl: [157, 167],
  capset: [126, 91],
  setsid: [112, 157],
} as const;

type SystemCall = keyof typeof numbers;

/** The column of an architecture in `numbers`, and the kernel's number for it. */
const architectures: Readonly<Record<string, { readonly column: 0 | 1; readonly audit: number }>> = {
  x64: { column: 0, audit: 0xc000_003e },
  arm64: { column: 1, audit: 0xc000_00b7 },
};

const refused: readonly SystemCall[] = [
  ...(["add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd"] as const),
  ...(["open_by_handle_at", "syslog", "kexec_load", "kexec_file_load", "setns"] as const),
  ...(["mount", "umount2", "pivot_root", "open_tree", "move_mount", "open_tree_attr"] as const),
  ...(["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"] as const),
];

/** Programs ask for these first, and do without where the kernel is too old. `clone3` hides its flags from a filter. */
const absent: readonly SystemCall[] = ["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"];

const { EPERM, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT } = constants.errno;

/**
 * The flag for a user namespace: in one of its own a command has all capabilities again, as far as the kernel
 * believes in it.
 */
const CLONE_NEWUSER = 0x1000_0000;
/** What types into a terminal, pastes into it, and changes what stands behind it. */
const terminalRequests = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c, TIOCSETD: 0x5423 };
/** A program that runs with the rights of whoever owns it, for everybody on the machine. What is made so is empty, and loses it when written. */
const S_ISUID = 0o4000;
/** Which argument is the mode. */
const modes = { chmod: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2 } as const;
const families = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10 };
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

/**
 * The program for bubblewrap's `--seccomp`, on the architecture that this very program is built for. Undefined where
 * its numbers are not known.
 */
export function systemCallFilter(architecture: string = process.arch): Uint8Array | undefined {
  const here = architectures[architecture];
  if (here === undefined) return undefined;
  const when = (name: SystemCall, then: readonly Instruction[]) => [
    unlessEqual(numbers[name][here.column], then.length),
    ...then,
  ];
  return assemble([
    // A 32-bit program has other numbers: it ends with "Bad system call".
    load(architectureField),
    ifEqual(here.audit, 1),
    answer(killProcess),
    load(numberField),
    // x32, the other way to call a 64-bit kernel; it has numbers of its own too.
    ...(architecture === "x64" ? [unlessAtLeast(0x4000_0000, 1), answer(fail(ENOSYS))] : []),
    ...refused.flatMap((name) => when(name, [answer(fail(EPERM))])),
    ...absent.flatMap((name) => when(name, [answer(fail(ENOSYS))])),
    ...(["clone", "unshare"] as const).flatMap((name) =>
      when(name, [load(argument(0)), unlessAny(CLONE_NEWUSER, 1), answer(fail(EPERM)), answer(allow)]),
    ),
    ...Object.entries(modes).flatMap(([name, index]) =>
      when(name as keyof typeof modes, [
        load(argument(index)),
        unlessAny(S_ISUID, 1),
        answer(fail(EPERM)),
        answer(allow),
      ]),
    ),
    ...when("ioctl", [
      load(argument(1)),
      ...Object.values(terminalRequests).flatMap((request) => [unlessEqual(request, 1), answer(fail(EPERM))]),
      answer(allow),
    ]),
    ...(["socket", "socketpair"] as const).flatMap((name) =>
      when(name, [
        load(argument(0)),
        ...Object.values(families).flatMap((family) => [unlessEqual(family, 1), answer(allow)]),
        // `getifaddrs` asks the kernel so for the addresses there are.
        unlessEqual(AF_NETLINK, 4),
        load(argument(2)),
        unlessEqual(NETLINK_ROUTE, 1),
        answer(allow),
        answer(fail(EPROTONOSUPPORT)),
        answer(fail(EAFNOSUPPORT)),
      ]),
    ),
    answer(allow),
  ]);
}

/** The system calls that set up a sandbox. */
export type SetUpCall = "mount" | "umount2" | "pivot_root" | "mount_setattr" | "prctl" | "capset" | "setsid";

/** The number of a system call on this architecture. Undefined where it is not known. */
export function systemCallNumber(name: SetUpCall): number | undefined {
  const here = architectures[process.arch];
  return here && numbers[name][here.column];
}

interface Instruction {
  readonly code: number;
  readonly whenTrue?: number;
  readonly whenFalse?: number;
  readonly value: number;
}

// The fields of `struct seccomp_data`.
const numberField = 0;
const architectureField = 4;
/** Its lower half: all that the kernel itself looks at, of each argument that is looked at here. */
const argument = (index: number) => 16 + 8 * index;

const allow = 0x7fff_0000;
const killProcess = 0x8000_0000;
const fail = (code: number) => 0x0005_0000 + code;

const load = (field: number): Instruction => ({ code: 0x20, value: field });
const answer = (action: number): Instruction => ({ code: 0x06, value: action });
/** Jumps over the next `over` instructions if what is loaded is `value`. */
const ifEqual = (value: number, over: number): Instruction => ({ code: 0x15, whenTrue: over, value });
const unlessEqual = (value: number, over: number): Instruction => ({ code: 0x15, whenFalse: over, value });
const unlessAtLeast = (value: number, over: number): Instruction => ({ code: 0x35, whenFalse: over, value });
const unlessAny = (bits: number, over: number): Instruction => ({ code: 0x45, whenFalse: over, value: bits });

/** The instructions as `struct sock_filter`, one after the other. */
function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, whenTrue = 0, whenFalse = 0, value }] of program.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(whenTrue, at + 2);
    bytes.writeUInt8(whenFalse, at + 3);
    bytes.writeUInt32LE(value, at + 4);
  }
  return bytes;
}
