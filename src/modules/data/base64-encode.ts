import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { computing } from "./computing.ts";
import { DataError } from "./errors.ts";

const parameters = z.strictObject({ text: z.string().describe("The text, encoded as UTF-8 first") });

export function base64EncodeTool(): Tool {
  return defineTool({
    name: "base64_encode",
    title: "Encode Base64",
    description: "Encode a text as Base64 (of its UTF-8 bytes). Returns {encoded}.",
    category: "data",
    parameters,
    annotations: computing,
    execute({ text }) {
      if (!text.isWellFormed()) {
        throw new DataError(
          "TEXT_INVALID",
          "Cannot encode the text: it contains half of a surrogate pair, which has no UTF-8 form; leave it out",
        );
      }
      return { encoded: Buffer.from(text).toString("base64") };
    },
  });
}
