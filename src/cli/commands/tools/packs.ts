import { type App, costsOfApp } from "../../../app/index.ts";
import { firstSentence, type LLMTarget } from "../../../kernel/index.ts";
import type { Session } from "../../session.ts";
import { renderTable } from "../../text/table.ts";

/** `haft tools packs`: the packs and MCP servers there are, what each is for, and what its definitions take. */
export async function listPacks(
  session: Session,
  app: App,
  { target }: { readonly target: LLMTarget },
): Promise<void> {
  const { tools: costs } = await costsOfApp(app, { target });
  const tokensByTool = new Map(costs.map(({ name, tokens }) => [name, tokens]));
  const packs = app.packs.list().map(({ name, description, tools }) => ({
    name,
    description,
    tools,
    tokens: tools.reduce((sum, tool) => sum + (tokensByTool.get(tool) ?? 0), 0),
  }));
  const { terminal } = session;
  if (session.asJson) return terminal.json(packs);
  terminal.out(
    renderTable(
      [
        { title: "Pack", paint: (text) => terminal.paint("bold", text) },
        { title: "Tools", align: "right" },
        { title: "Tokens", align: "right" },
        { title: "Description", overflow: "cut" },
      ],
      packs.map(({ name, description, tools, tokens }) => [
        terminal.foreign(name),
        String(tools.length),
        tokens.toLocaleString("en"),
        terminal.foreign(firstSentence(description)),
      ]),
      { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
    ),
  );
}
