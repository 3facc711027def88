import type { FormEditor } from "./client-edit.ts";

/** Editor for YAML; comments and the order of existing entries are kept. */
export async function yamlEditor(): Promise<FormEditor> {
  const { parseDocument, parse } = await import("yaml");
  const change = (text: string, edit: (document: ReturnType<typeof parseDocument>) => void): string => {
    const document = parseDocument(text);
    edit(document);
    return document.toString({ lineWidth: 0, indentSeq: !/^[^\s#-][^\n]*:[ \t]*\n- /m.test(text) });
  };
  return {
    parse: (text) => {
      try {
        return parse(text) ?? {};
      } catch {
        return undefined;
      }
    },
    set: (text, path, value) => change(text, (document) => document.setIn(path, document.createNode(value))),
    append: (text, path, item) => change(text, (document) => document.addIn(path, document.createNode(item))),
    remove: (text, path) => change(text, (document) => void document.deleteIn(path)),
  };
}
