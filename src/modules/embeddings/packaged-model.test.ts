import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { OpenEmbedder } from "./open-model.ts";
import { openPackagedModel, packagedDigest, withPackagedWords } from "./packaged-model.ts";

const words = join(import.meta.dirname, "words");
const countHeld = join(import.meta.dirname, "../../../test/fixtures/embed/count-held.ts");
const countRead = join(import.meta.dirname, "../../../test/fixtures/embed/count-read.ts");
const leaveBehind = join(import.meta.dirname, "../../../test/fixtures/embed/leave-behind.ts");

/** What the recipe that made the file says of it. */
const made = JSON.parse(readFileSync(join(words, "words.json"), "utf8")) as {
  readonly dims: number;
  readonly samples: Readonly<Record<string, readonly number[]>>;
};

function open(): OpenEmbedder {
  const embedder = openPackagedModel();
  onTestFinished(() => embedder.close());
  return embedder;
}

function similarity(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return a?.reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0) ?? 0;
}

test("the file of word vectors is the one that the model's id names, and its licences lie beside it", () => {
  expect(hash("sha256", readFileSync(join(words, "words.bin")))).toBe(packagedDigest);
  expect(open().id).toBe(`haft-words/${packagedDigest.slice(0, 16)}`);
  const notice = readFileSync(join(words, "NOTICE"), "utf8");
  for (const source of ["all-MiniLM-L6-v2", "multilingual-e5-small"]) expect(notice).toContain(source);
});

test("openPackagedModel() gives the vectors that its recipe gives", async () => {
  const texts = Object.keys(made.samples);
  const vectors = await open().embed(texts);
  for (const [at, text] of texts.entries()) {
    const first = vectors[at]?.slice(0, made.samples[text]?.length) ?? [];
    for (const [index, number] of first.entries())
      expect(number, text).toBeCloseTo(made.samples[text]?.[index] ?? Number.NaN, 4);
  }
});

test("openPackagedModel() gives texts that mean alike vectors that lie near each other", async () => {
  const texts = ["search for a word in files", "find text in documents", "send an e-mail to a friend"];
  const [search, find, mail] = await open().embed(texts);
  expect(search).toHaveLength(made.dims);
  expect(similarity(search, search)).toBeCloseTo(1, 5);
  expect(similarity(search, find)).toBeGreaterThan(similarity(search, mail) + 0.1);
});

test.for([
  ["My dog is afraid of fireworks", "Mein Hund hat Angst vor Feuerwerk", "Die Versicherung kostet 300 Euro"],
  ["The user is allergic to nuts", "用户对坚果过敏", "会议在星期三下午"],
  ["What is the weather tomorrow?", "Какая завтра погода?", "Открой файл в редакторе"],
  ["my sister lives in Paris", "ma sœur habite à Paris", "le fichier a été supprimé"],
])(
  "openPackagedModel() puts %j nearer to its translation than to another text of that language",
  async ([text, same, other]) => {
    const [own, translated, unrelated] = await open().embed([text, same, other] as string[]);
    expect(similarity(own, translated)).toBeGreaterThan(similarity(own, unrelated) + 0.1);
  },
);

const packs = {
  weather: "Weather: current conditions and forecasts for a place",
  email: "Email: read, search and send messages",
  calendar: "Calendar: events, meetings and invitations",
  files: "Files: read, write, search and move files and folders",
  music: "Music: play songs, playlists and albums",
  payments: "Payments: invoices, refunds and card charges",
};

test.for([
  ["do I need an umbrella tomorrow", ["weather"]],
  ["Wie wird das Wetter morgen?", ["weather"]],
  ["answer Anna's mail", ["email"]],
  ["when is my next meeting", ["calendar"]],
  ["rename all the photos in that folder", ["files"]],
  ["put on some jazz", ["music"]],
  ["give the customer her money back", ["payments"]],
  ["thank you, that was great", []],
] as const)(
  "at a cosine of 0.3, which selectPacks() takes, %j has the packs %j",
  async ([message, wanted]) => {
    const [asked, ...vectors] = await open().embed([message, ...Object.values(packs)]);
    const near = Object.keys(packs).filter((_, at) => similarity(asked, vectors[at]) >= 0.3);
    expect(near).toEqual(wanted);
  },
);

test("openPackagedModel() gives a text the same vector alone and among others", async () => {
  const embedder = open();
  const [alone] = await embedder.embed(["list folders"]);
  const many = Array.from({ length: 200 }, (_, index) => `text ${index}`);
  expect((await embedder.embed([...many, "list folders"])).at(-1)).toEqual(alone);
});

test("openPackagedModel() takes any text", async () => {
  const texts = ["", " ", "\0", "\ud800", "😀", "天气", "ﷺ".repeat(5_000), "word ".repeat(100_000)];
  const vectors = await open().embed(texts);
  expect(vectors).toHaveLength(texts.length);
  expect(vectors.every((vector) => vector.length === made.dims && vector.every(Number.isFinite))).toBe(true);
  expect(similarity(vectors[0], vectors[0])).toBe(0);
});

test.for([
  ["Which languages?", true],
  ["我对什么药过敏？", true],
  ["متى موعد طبيب الاسنان؟", true],
  ["12:30", true],
  ["გამარჯობა მსოფლიო", false],
] as const)("openPackagedModel() says whether it knows the script of %j", ([text, known]) => {
  expect(open().reads?.(text)).toBe(known);
});

test("openPackagedModel() lets a program end that does not close it, once nobody waits", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [leaveBehind]);
  expect(stdout).toBe(`${made.dims}\n`);
});

test("openPackagedModel() keeps a small part of its file in memory, and the file open until it is closed", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [countHeld]);
  const { bytes, open: held, closed } = JSON.parse(stdout) as Record<string, number>;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(4_000_000);
  // Elsewhere than on Linux nobody can be asked for open files.
  if (process.platform === "linux") expect([held, closed]).toEqual([1, 0]);
});

test.runIf(process.platform === "linux")(
  "openPackagedModel() reads the words of a question one by one, and for many texts the file once in order",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [countRead]);
    const { one, many } = JSON.parse(stdout) as Record<string, number>;
    expect(one).toBeLessThan(2_000_000);
    expect(many).toBeGreaterThan(18_000_000);
  },
);

test("openPackagedModel() works for the others when one of them is closed", async () => {
  const [one, other] = [openPackagedModel(), open()];
  const asked = one.embed(["a", "b"]);
  const wanted = other.embed(["c"]);
  await one.close();
  await expect(asked).rejects.toMatchObject({ code: "EMBED_CLOSED" });
  expect(await wanted).toHaveLength(1);
  await expect(one.embed(["d"])).rejects.toMatchObject({ code: "EMBED_CLOSED" });
  expect(other.id).toBe(one.id);
});

test("openPackagedModel() ends work that is no longer wanted", async () => {
  const end = new AbortController();
  const asked = open().background?.embed(["a", "b"], end.signal);
  end.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
});

test("withPackagedWords() gives a model of texts the vectors of words, until it is closed", async () => {
  let closed = 0;
  const model = withPackagedWords({
    id: "texts",
    embed: (texts) => Promise.resolve(texts.map(() => Float32Array.of(1))),
    close: async () => {
      closed++;
    },
  });
  const [dentist, tooth, tax] = (await model.embedWords?.(["dentist", "tooth", "tax"])) ?? [];
  expect(similarity(dentist, tooth)).toBeGreaterThan(0.5);
  expect(similarity(dentist, tax)).toBeLessThan(0.3);
  expect(await model.embed(["text"])).toEqual([Float32Array.of(1)]);
  await model.close();
  expect(closed).toBe(1);
  await expect(model.embedWords?.(["dentist"])).rejects.toMatchObject({ code: "EMBED_CLOSED" });
});
