import { expect, test } from "vitest";
import { findHeaderFault } from "./header-check.ts";

const marked = (type: unknown, header: unknown = "Region") => ({ type, "x-mcp-header": header });
const withProperty = (property: unknown) => ({ type: "object", properties: { a: property } });

test.each([
  [withProperty(marked("string")), undefined],
  [withProperty({ type: "object", properties: { b: marked("integer") } }), undefined],
  [withProperty({ type: "string", enum: ["x-mcp-header"], default: "x-mcp-header" }), undefined],
  [withProperty(marked("string", "")), "no name of a header"],
  [withProperty(marked("string", "My Region")), "no name of a header"],
  [withProperty(marked("string", "a\r\nb")), "no name of a header"],
  [withProperty(marked("number")), "can be in a header"],
  [withProperty(marked("object")), "can be in a header"],
  [withProperty(marked(["string", "null"])), "can be in a header"],
  [{ type: "object", properties: { a: marked("string", "X"), b: marked("string", "x") } }, "named twice"],
  [{ ...marked("object"), properties: {} }, "where no argument is"],
  [withProperty({ type: "array", items: marked("string") }), "where no argument is"],
  [{ type: "object", anyOf: [{ properties: { a: marked("string") } }] }, "where no argument is"],
  [{ type: "object", $defs: { a: marked("string") } }, "where no argument is"],
])("findHeaderFault(%j)", (schema, fault) => {
  if (fault === undefined) expect(findHeaderFault(schema)).toBeUndefined();
  else expect(findHeaderFault(schema)).toContain(fault);
});
