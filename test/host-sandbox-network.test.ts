import { chmodSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ConfinedRequest } from "./support/confined-run.ts";
import { listenOnLoopback } from "./support/loopback.ts";
import {
  isRoot,
  makePlace,
  type Place,
  runAs,
  searchPath,
  toRequest,
  usersHere,
} from "./support/sandbox-place.ts";

const servers: { close(): unknown }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});
let count = 0;

const { users, inSandbox } = await usersHere();

describe.for(users)("A command in the sandbox, started by %s,", inSandbox, (user) => {
  const run = (place: Place, line: string, more?: Partial<ConfinedRequest>) =>
    runAs(user, toRequest(place, line, more));

  test("reaches no socket of the machine", async () => {
    const place = makePlace(user);
    count++;
    const path = isRoot ? `/run/haft-test-${process.pid}-${count}.sock` : join(place.outside, "sock");
    const server = await listenAt(path);
    chmodSync(path, 0o777);
    const abstract = await listenAt(`\0haft-${process.pid}-${count}`);
    const script = `const s=require("net").connect(process.argv[1].replace("@","\\0"));s.on("connect",()=>console.log("reached"));s.on("error",e=>console.log(e.code))`;
    const { stdout } = await run(
      place,
      `for at in ${path} @haft-${process.pid}-${count}; do ${process.execPath} -e '${script}' $at; done`,
    );
    server.close();
    abstract.close();
    expect(stdout.trim().split("\n")).toEqual(["ENOENT", "ECONNREFUSED"]);
  });

  test("has no network, and asks no name server (CVE-2025-55284)", async () => {
    const place = makePlace(user);
    const server = await countConnections();
    const { stdout } = await run(
      place,
      `(exec 3<>/dev/tcp/127.0.0.1/${server.port}) 2>/dev/null && echo connected
       (exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null && echo connected
       getent ahosts secret.example.com && echo resolved
       sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' '; cat /proc/net/route | sed 1d`,
    );
    expect([stdout, server.close()]).toEqual(["lo\n", 0]);
  });

  test("reaches the hosts it was given, and only them, through the proxy", async () => {
    const place = makePlace(user);
    const [open, shut] = [
      await listenOnLoopback((_, response) => response.end("hello")),
      await countConnections(),
    ];
    const url = new URL(open.url);
    const request = `const [u,p]=process.argv.slice(1);const s=require("net").connect(3128,"127.0.0.1");s.write(p.replaceAll("|","\\r\\n").replaceAll("~","\\0"));s.on("data",d=>process.stdout.write(d.toString().split("\\r\\n")[0]+"\\n"));s.on("error",()=>{})`;
    const ask = (text: string) => `${process.execPath} -e '${request}' x '${text}'`;
    const { stdout, refusedHosts, stderr } = await run(
      place,
      [
        ask(`GET http://${url.host}/ HTTP/1.1|Host: evil.test|Connection: close||`),
        ask(`CONNECT ${url.host} HTTP/1.1|Host: ${url.host}||`).replace(
          's.on("data",d=>',
          's.on("data",d=>s.destroy()&&',
        ),
        ask(`CONNECT 127.0.0.1:${shut.port} HTTP/1.1||`),
        ask("CONNECT 169.254.169.254:80 HTTP/1.1||"),
        ask(`CONNECT evil~.${url.host} HTTP/1.1||`),
        ask(`CONNECT me@${url.host} HTTP/1.1||`),
        ask(`GET http://me:x@${url.host}/ HTTP/1.1|Host: ${url.host}||`),
        ask("GET / HTTP/1.1|Host: localhost||"),
        `exec 3<>/dev/tcp/${url.hostname}/${url.port} || echo direct refused`,
      ].join("\n"),
      { bounds: { writable: [place.work], hosts: [url.host], allowedHosts: [url.host] } },
    );
    expect({
      lines: stdout.split("\n"),
      stderr: stderr.includes("refused"),
      connections: shut.close(),
    }).toEqual({
      lines: [
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 Connection Established",
        "HTTP/1.1 403 Forbidden",
        "HTTP/1.1 403 Forbidden",
        expect.stringMatching(/^HTTP\/1\.1 40[03]/),
        "HTTP/1.1 403 Forbidden",
        "HTTP/1.1 403 Forbidden",
        "HTTP/1.1 403 Forbidden",
        "direct refused",
        "",
      ],
      stderr: true,
      connections: 0,
    });
    expect(refusedHosts).toEqual([`127.0.0.1:${shut.port}`, "169.254.169.254:80"]);
  });

  test.for([
    ["the quick bridge", {}],
    ["the bridge of Node, where a variable would change perl", { PERL5LIB: "/nowhere" }],
  ] as const)("carries what is large both ways, and many connections at once, by %s", async ([, more]) => {
    const place = makePlace(user);
    const open = await listenOnLoopback((request, response) => {
      let size = 0;
      request.on("data", (piece: Buffer) => (size += piece.length));
      request.on("end", () => response.end(`${size} ${"x".repeat(3_000_000)}`));
    });
    const url = new URL(open.url);
    const script = `
      const ask = (size) => new Promise((resolve, reject) => {
        const options = { host: "127.0.0.1", port: 3128, method: "POST", path: "${open.url}", agent: false };
        const outgoing = require("http").request(options, (answer) => {
          let text = "";
          answer.on("data", (piece) => (text += piece));
          answer.on("end", () => resolve(text.length + ":" + text.split(" ")[0]));
        });
        outgoing.on("error", reject);
        outgoing.end("y".repeat(size));
      });
      (async () => {
        console.log(await ask(5_000_000));
        const all = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(at)));
        console.log(all.every((one, at) => one.endsWith(":" + at)));
      })();`;
    const environment = { PATH: searchPath, ...more };
    const { stdout, stderr } = await run(place, `${process.execPath} -e '${script}'`, {
      bounds: { writable: [place.work], hosts: [url.host], allowedHosts: [url.host] },
      environment,
    });
    expect([stderr, stdout]).toEqual(["", "3000008:5000000\ntrue\n"]);
  });
});

function listenAt(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end());
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

async function countConnections(): Promise<{ port: number; close(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      server.close();
      return connections;
    },
  };
}
