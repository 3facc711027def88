// Bundled when haft is built: of the package this is one table of many.
export { countTokens } from "gpt-tokenizer/encoding/o200k_base";
