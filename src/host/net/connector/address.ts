import ipaddr from "ipaddr.js";

type Parsed = ipaddr.IPv4 | ipaddr.IPv6;

/** Why an address is not the public internet. */
export type AddressRule =
  | "loopback"
  | "private"
  | "link-local"
  | "carrier-grade NAT"
  | "cloud metadata"
  | "benchmark"
  | "multicast"
  | "broadcast"
  | "unspecified"
  | "reserved";

export interface CheckedAddress {
  /** The address in canonical form; an IPv4-mapped address as the IPv4 address it is. */
  readonly address: string;
  /** The IPv4 address that a translated or tunnelled one leads to. */
  readonly inside?: string;
  /** Undefined: a public address. */
  readonly rule: AddressRule | undefined;
}

// 168.63.129.16 is Azure's, 192.0.0.192 Oracle's, 100.100.100.200 Alibaba's; they look public, reserved or shared.
const metadataAddresses: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.169.253",
  "169.254.169.123",
  "169.254.170.2",
  "169.254.170.23",
  "168.63.129.16",
  "192.0.0.192",
  "100.100.100.200",
  "fd00:ec2::254",
  "fd00:ec2::253",
  "fd00:ec2::23",
  "fd20:ce::254",
]);

/**
 * Says what kind of place an IP address is. Translated (NAT64, SIIT) and tunnelled (6to4, Teredo, ISATAP, compatible)
 * forms are judged by the IPv4 address inside; a tunnel to a public address is `reserved`, since nothing public is
 * reached that way. What cannot be parsed is `reserved` too.
 */
export function checkAddress(text: string): CheckedAddress {
  const parsed = parse(text);
  if (parsed === undefined) return { address: text, rule: "reserved" };
  const address = parsed.toString();
  const inner = parsed instanceof ipaddr.IPv6 ? embeddedIPv4(parsed) : undefined;
  if (inner === undefined) return { address, rule: findRule(parsed) };
  const rule = findRule(inner.ipv4) ?? (inner.isTunnel ? "reserved" : undefined);
  return { address, inside: inner.ipv4.toString(), rule };
}

/** Mapped addresses come out as IPv4: they are the same address. */
function parse(text: string): Parsed | undefined {
  const bare = text.replace(/%.*$/, "");
  // The four-part form only: "127.1" and "0x7f.1" have become that before, or are names.
  if (!ipaddr.IPv6.isValid(bare) && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return undefined;
  return ipaddr.process(bare);
}

const teredo = ipaddr.IPv6.parseCIDR("2001::/32");
const sixToFour = ipaddr.IPv6.parseCIDR("2002::/16");
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
// SIIT and the well-known NAT64: the last 32 bits are where a packet ends up.
const translated = ["::ffff:0:0:0/96", "64:ff9b::/96"].map((cidr) => ipaddr.IPv6.parseCIDR(cidr));
const compatible = ipaddr.IPv6.parseCIDR("::/96");
const localNat64 = ipaddr.IPv6.parseCIDR("64:ff9b:1::/48");

function embeddedIPv4(ip: ipaddr.IPv6): { ipv4: ipaddr.IPv4; isTunnel: boolean } | undefined {
  const bytes = ip.toByteArray();
  const at = (start: number) => new ipaddr.IPv4(bytes.slice(start, start + 4));
  if (translated.some((net) => ip.match(net))) return { ipv4: at(12), isTunnel: false };
  if (ip.match(teredo)) {
    return { ipv4: new ipaddr.IPv4(bytes.slice(12, 16).map((byte) => byte ^ 0xff)), isTunnel: true };
  }
  if (ip.match(sixToFour)) return { ipv4: at(2), isTunnel: true };
  const isIsatap = (ip.parts[4] === 0 || ip.parts[4] === 0x200) && ip.parts[5] === 0x5efe;
  if (isIsatap) return { ipv4: at(12), isTunnel: true };
  // `::` and `::1` stand for themselves.
  const isCompatible = ip.match(compatible) && (ip.parts[6] !== 0 || (ip.parts[7] as number) > 1);
  return isCompatible || ip.match(localNat64) ? { ipv4: at(12), isTunnel: true } : undefined;
}

const rulesOfRanges: Readonly<Record<string, AddressRule>> = {
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  linkLocal: "link-local",
  carrierGradeNat: "carrier-grade NAT",
  benchmarking: "benchmark",
  multicast: "multicast",
  broadcast: "broadcast",
  unspecified: "unspecified",
};

function findRule(ip: Parsed): AddressRule | undefined {
  if (metadataAddresses.has(ip.toString())) return "cloud metadata";
  const range = ip.range();
  if (range !== "unicast") return isBenchmark(ip) ? "benchmark" : (rulesOfRanges[range] ?? "reserved");
  return ip instanceof ipaddr.IPv4 || ip.match(globalUnicast) ? undefined : "reserved";
}

const benchmark = ipaddr.IPv4.parseCIDR("198.18.0.0/15");

function isBenchmark(ip: Parsed): boolean {
  return ip instanceof ipaddr.IPv4 && ip.match(benchmark);
}

/** A net such as `10.0.0.0/8` or a single address. A tunnel is never in the net of what it leads to. */
export interface AddressNet {
  readonly isSingle: boolean;
  contains(address: string): boolean;
}

/** Undefined where `text` is neither an address nor a net. */
export function parseNet(text: string): AddressNet | undefined {
  const [base = "", bits, ...rest] = text.split("/");
  const net = parse(base);
  if (net === undefined || rest.length > 0) return undefined;
  const width = net.kind() === "ipv4" ? 32 : 128;
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (!(length <= width)) return undefined;
  return {
    isSingle: length === width,
    contains(address) {
      const ip = parse(address);
      return ip !== undefined && ip.kind() === net.kind() && ip.match(net, length);
    },
  };
}
