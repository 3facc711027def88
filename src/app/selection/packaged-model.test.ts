import { afterAll, beforeAll, expect, test } from "vitest";
import { toTargetTool } from "../../formats/index.ts";
import { defineTool, knownPacks, ToolRegistry } from "../../kernel/index.ts";
import { openPackagedModel } from "../../modules/embeddings/index.ts";
import { initPackEmbeddings, type Pack, PackCatalogue, selectPacks, ToolSearch } from "../../search/index.ts";

const model = openPackagedModel();
const packs = knownPacks.map((pack): Pack => ({ ...pack, alwaysLoad: false, factories: [] }));
let embeddings: Awaited<ReturnType<typeof initPackEmbeddings>>;

beforeAll(async () => {
  embeddings = await initPackEmbeddings(packs, model);
});
afterAll(() => model.close());

async function select(text: string): Promise<string[]> {
  const [embedding] = await model.embed([text]);
  return selectPacks(packs, { text, embedding }, embeddings).map(({ name }) => name);
}

test.each([
  ["Commit my changes and open a pull request", "git"],
  ["merge the feature branch into main", "git"],
  ["create a new project for the website", "project"],
  ["change the profile of the research agent", "agent"],
  ["forget my old address", "memory"],
  ["find all TODO comments in the source folder", "files"],
  ["rename the picture and move it to the archive folder", "files"],
  ["which environment variables are set", "system"],
  ["execute this bash command and show me stderr", "shell"],
  ["read this web page and summarize it", "network"],
  ["search the web for flights to Rome", "network"],
  ["send a POST request to the API", "network"],
  ["parse this JSON", "data"],
  ["decode the base64 text", "data"],
  ["do these ten tool calls in one go", "calls"],
  ["save my API key safely", "secrets"],
  ["reload the extension I just changed", "extensions"],
  ["Speichere meinen API-Schlüssel", "secrets"],
  ["搜索网页", "network"],
  ["Ejecuta este comando en bash", "shell"],
])(
  "at 0.3, the threshold of selectPacks(), the offline model selects for “%s” the pack %s",
  async (goal, pack) => {
    expect(await select(goal)).toContain(pack);
  },
);

test.each([
  "tell me a joke about cats",
  "what is the capital of France",
  "thank you, that was great",
  "how do I bake sourdough bread",
  "who won the world cup in 1998",
  "is a tomato a fruit",
  "explain photosynthesis to a child",
  "translate good morning into Italian",
  "Erzähl mir einen Witz",
  "今天我很累",
])("at 0.3 the offline model selects no pack for “%s”", async (goal) => {
  expect(await select(goal)).toEqual([]);
});

const tools = [
  ["get_weather", "The weather forecast of a city"],
  ["send_email", "Send an e-mail message to somebody"],
  ["translate_text", "Translate a text into another language"],
  ["book_flight", "Book a flight between two airports"],
  ["play_music", "Play a song or an album"],
  ["convert_currency", "Convert money from one currency to another"],
  ["create_event", "Add an appointment to the calendar"],
  ["delete_file", "Delete a file"],
  ["search_recipes", "Find recipes for cooking a dish"],
  ["set_alarm", "Set an alarm clock for the morning"],
] as const;

test.each([
  ["Wie wird das Wetter morgen in Berlin?", "get_weather"],
  ["北京明天的天气怎么样？", "get_weather"],
  ["Schicke meiner Chefin eine E-Mail", "send_email"],
  ["给我的同事发一封电子邮件", "send_email"],
  ["Reserva un vuelo a Madrid", "book_flight"],
  ["Lösche diese Datei", "delete_file"],
  ["删除这个文件", "delete_file"],
  ["Suche ein Rezept für Nudeln", "search_recipes"],
  ["播放一首歌", "play_music"],
  ["Какая завтра погода в Москве?", "get_weather"],
  ["Quel temps fera-t-il demain à Lyon ?", "get_weather"],
  ["Rechne hundert Euro in Dollar um", "convert_currency"],
])("ToolSearch finds English tools for “%s” by the offline model", async (goal, name) => {
  const registry = new ToolRegistry({
    compile: () => () => ({ valid: true, value: {} }),
    format: toTargetTool,
  });
  registry.registerMany(
    tools.map(([own, description]) =>
      defineTool({ name: own, description, parameters: { type: "object" }, execute: () => "" }),
    ),
  );
  const search = new ToolSearch({ registry, packs: new PackCatalogue(registry), embedder: model });
  await search.ready();
  const { found } = await search.search(goal, { limit: 2 });
  await search.close();
  expect(found.map(({ tool }) => tool.name)).toContain(name);
});
