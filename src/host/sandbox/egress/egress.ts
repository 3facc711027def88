import { basename, delimiter, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { loopbackHosts } from "../../net/origin-check.ts";
import type { EncloseRequest, ProcessBounds } from "../enclosing.ts";
import { lookForProgram, usualFolders } from "../find-program.ts";
import type { Mount } from "../mounts/view.ts";
import type { WayOut } from "../unshare/namespaces.ts";
import { openLoopbackProxy, openProxy, type Proxy } from "./proxy.ts";
import { quickBridge } from "./quick-bridge.ts";

/** The port in the sandbox. Nothing else listens there, so any does. */
const port = 3128;
const inside = "/run/haft";

/** Opens a proxy for the hosts of one command, and says what it takes in the sandbox to reach it. */
export async function openWayOut({
  bounds,
  hasScript,
  environment,
}: Pick<EncloseRequest, "bounds" | "hasScript" | "environment">): Promise<{
  readonly wayOut: WayOut;
  readonly proxy: Proxy;
}> {
  const hosts = bounds.hosts ?? [];
  const proxy = await openProxy({ hosts, allowedHosts: bounds.allowedHosts ?? [] });
  const variables = proxyVariables(hosts, `http://127.0.0.1:${port}`);
  const socket = `${inside}/proxy`;
  const socketMount: Mount = { kind: "read", source: proxy.socket, target: socket };
  const perl = findPerl(environment);
  if (perl !== undefined) {
    return {
      proxy,
      wayOut: {
        mounts: [socketMount],
        wrapper: [perl, "-e", quickBridge, "--", String(port), socket],
        // Perl complains on stderr where the command's language is not installed.
        variables: { ...variables, PERL_BADLANG: "0" },
      },
    };
  }
  const extension = extname(fileURLToPath(import.meta.url));
  const bridge = fileURLToPath(new URL(`./bridge${extension}`, import.meta.url));
  const program = `${inside}/${basename(process.execPath)}`;
  // Outside any package, its name has to say that it is a module.
  const script = `${inside}/bridge.m${extension.slice(1)}`;
  const descriptors = hasScript ? 5 : 4;
  return {
    proxy,
    wayOut: {
      mounts: [
        { kind: "read", source: process.execPath, target: program },
        { kind: "read", source: bridge, target: script },
        socketMount,
      ],
      wrapper: [program, script, String(port), socket, String(descriptors)],
      variables,
    },
  };
}

/** The system's perl; none where the command's variables would change what it does. */
function findPerl(environment: Readonly<Record<string, string>>): string | undefined {
  if (Object.keys(environment).some((name) => name.startsWith("PERL"))) return undefined;
  return lookForProgram("perl", usualFolders.join(delimiter));
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
