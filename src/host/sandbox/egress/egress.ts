import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { loopbackHosts } from "../../net/origin-check.ts";
import type { ProcessBounds } from "../enclosing.ts";
import type { WayOut } from "../unshare/namespaces.ts";
import { openLoopbackProxy, openProxy, type Proxy } from "./proxy.ts";

/** The port in the sandbox. Nothing else listens there, so any does. */
const port = 3128;
const inside = "/run/haft";

/** Opens a proxy for the hosts of one command, and says what it takes in the sandbox to reach it. */
export async function openWayOut(
  bounds: ProcessBounds,
  hasScript: boolean,
): Promise<{ readonly wayOut: WayOut; readonly proxy: Proxy }> {
  const hosts = bounds.hosts ?? [];
  const proxy = await openProxy({ hosts, allowedHosts: bounds.allowedHosts ?? [] });
  const extension = extname(fileURLToPath(import.meta.url));
  const bridge = fileURLToPath(new URL(`./bridge${extension}`, import.meta.url));
  const program = `${inside}/${basename(process.execPath)}`;
  // Outside any package, its name has to say that it is a module.
  const script = `${inside}/bridge.m${extension.slice(1)}`;
  const socket = `${inside}/proxy`;
  const descriptors = hasScript ? 5 : 4;
  return {
    proxy,
    wayOut: {
      mounts: [
        { kind: "read", source: process.execPath, target: program },
        { kind: "read", source: bridge, target: script },
        { kind: "read", source: proxy.socket, target: socket },
      ],
      wrapper: [program, script, String(port), socket, String(descriptors)],
      variables: proxyVariables(hosts, `http://127.0.0.1:${port}`),
    },
  };
}

/** Opens a proxy for the hosts of one command on a port of this machine, and the variables by which programs find it. */
export async function openLoopbackWayOut(bounds: ProcessBounds): Promise<{
  readonly port: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly proxy: Proxy;
}> {
  const hosts = bounds.hosts ?? [];
  const proxy = await openLoopbackProxy({ hosts, allowedHosts: bounds.allowedHosts ?? [] });
  const { port: ownPort, secret } = proxy;
  const variables = proxyVariables(hosts, `http://haft:${secret}@127.0.0.1:${ownPort}`);
  return { port: ownPort, variables, proxy };
}

function proxyVariables(hosts: readonly string[], address: string): Record<string, string> {
  // What listens in the sandbox itself is reached directly, unless the machine's own was asked for.
  const direct = loopbackHosts.filter(
    (name) => !hosts.some((host) => host === name || host.startsWith(`${name}:`)),
  );
  const found: Record<string, string> = { NODE_USE_ENV_PROXY: "1" };
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
    found[name] = address;
    found[name.toLowerCase()] = address;
  }
  found["NO_PROXY"] = direct.join(",");
  found["no_proxy"] = direct.join(",");
  return found;
}
