import { expect, test } from "vitest";
import { errorText, readJson, readMessage, requestIdIn } from "./message.ts";
import { RpcError } from "./rpc-error.ts";

test.for([
  [
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { kind: "request", id: 1, method: "ping", params: {} },
  ],
  [
    { jsonrpc: "2.0", method: "note", params: { a: 1 } },
    { kind: "notification", method: "note", params: { a: 1 } },
  ],
  [
    { jsonrpc: "2.0", id: "x", result: { a: 1 } },
    { kind: "response", id: "x", result: { a: 1 }, error: undefined },
  ],
  [
    { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } },
    { kind: "response", id: 1, result: undefined, error: { code: -1, message: "no" } },
  ],
  [
    { jsonrpc: "2.0", id: null, method: "ping" },
    { kind: "invalid", id: undefined, error: expect.any(RpcError) },
  ],
  [
    { jsonrpc: "2.0", id: 5 },
    { kind: "invalid", id: 5, error: expect.any(RpcError) },
  ],
  [
    { jsonrpc: "2.0", id: 5, method: "ping", params: null },
    { kind: "invalid", id: 5, error: expect.any(RpcError) },
  ],
  [42, { kind: "invalid", id: undefined, error: expect.any(RpcError) }],
] as const)("readMessage() reads %j", ([value, message]) => {
  expect(readMessage(value, 100)).toEqual(message);
});

test("readMessage() refuses more than 1,000 levels and takes 1,000", () => {
  const nested = (levels: number) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":${'{"a":'.repeat(levels - 2)}{}${"}".repeat(levels - 2)}}`;
    return readMessage(JSON.parse(text), text.length).kind;
  };
  expect([nested(1000), nested(1001)]).toEqual(["request", "invalid"]);
});

test("readJson() tells bad UTF-8 from the replacement character", () => {
  expect(readJson(Buffer.from('"\ufffd"'))).toBe("\ufffd");
  expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(RpcError);
});

test("errorText() leaves out the id where none could be read", () => {
  const error = new RpcError(-32700, "bad", { cause: new Error("secret") });
  expect(errorText(undefined, error)).toBe('{"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}}');
});

test.for([
  ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{', "}}", 7],
  ['{"id":"a-1","jsonrpc":"2.0","method":"x"', "}", "a-1"],
  ['{"method":"tools/call","params":{"a":"', '"},"jsonrpc":"2.0","id":8}', 8],
  ['{ "method": "x", "params": {', '}, "id": 9, "jsonrpc": "2.0" }\r', 9],
  ['{"method":"notifications/x","params":{"a":"', '","id":5}}', undefined],
  ['{"method":"x","params":{"a":"', ',\\"id\\":5}"}', undefined],
  ['{"jsonrpc":"2.0","id":7,"result":{"method":"x"', "}}", undefined],
  ['{"result":{', '},"jsonrpc":"2.0","id":8}', undefined],
  ['{"id":1,"result":"', '","method":"x"}', undefined],
] as const)("requestIdIn() of %s … %s", ([head, tail, id]) => {
  expect(requestIdIn(head, tail)).toBe(id);
});
