import { expect, test } from "vitest";
import { CodedError } from "../base/index.ts";
import {
  ToolBlockedError,
  ToolBusyError,
  ToolCancelledError,
  ToolError,
  ToolNotFoundError,
  ToolPermissionError,
  ToolTimeoutError,
  ToolValidationError,
  toolErrorCodes,
} from "./errors.ts";

const cause = new Error("root");
const subclasses = [
  [new ToolNotFoundError("t", []), "ToolNotFoundError", "TOOL_NOT_FOUND"],
  [new ToolValidationError("t", "m", { cause }), "ToolValidationError", "TOOL_VALIDATION"],
  [new ToolBlockedError("t", "m", { cause }), "ToolBlockedError", "TOOL_BLOCKED"],
  [new ToolPermissionError("t", "m", { cause }), "ToolPermissionError", "TOOL_PERMISSION"],
  [new ToolBusyError("t", "m", { cause }), "ToolBusyError", "TOOL_BUSY"],
  [new ToolTimeoutError("t", 5), "ToolTimeoutError", "TOOL_TIMEOUT"],
  [new ToolCancelledError("t", { cause }), "ToolCancelledError", "TOOL_CANCELLED"],
] as const;

test.for(subclasses)("%s is a ToolError with its own name and code", ([error, name, code]) => {
  expect(error).toBeInstanceOf(ToolError);
  expect(error).toBeInstanceOf(CodedError);
  expect({ name: error.name, code: error.code, toolName: error.toolName }).toEqual({
    name,
    code,
    toolName: "t",
  });
  expect(toolErrorCodes).toContain(code);
  expect(error.message).not.toMatch(/\.$/);
});

test("ToolError keeps its cause and its details", () => {
  const error = new ToolError("t", "TOOL_FAILED", "Cannot do it", { cause, details: { at: 3 } });
  expect(error.cause).toBe(cause);
  expect(error.details).toEqual({ at: 3 });
  expect("cause" in new ToolError("t", "TOOL_FAILED", "Cannot do it")).toBe(false);
});

test("ToolNotFoundError names what comes close, and otherwise where to look", () => {
  expect(new ToolNotFoundError("raed", ["read", "lead"]).message).toBe(
    'Cannot find tool "raed"; did you mean "read" or "lead"',
  );
  expect(new ToolNotFoundError("raed", []).message).toBe(
    'Cannot find tool "raed"; list the tools for the names',
  );
});

test("toolErrorCodes has each code once", () => {
  expect(new Set(toolErrorCodes).size).toBe(toolErrorCodes.length);
});
