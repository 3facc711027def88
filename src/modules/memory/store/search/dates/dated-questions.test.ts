import { expect, test } from "vitest";
import { openStore, type Store } from "../../../../../app/store/open-store.ts";

const now = Date.UTC(2026, 10, 22, 12);

/** What a person keeps, each with the day on which it was said. */
const memories: readonly (readonly [said: string, text: string])[] = [
  ["2026-02-03", "The lease of the studio in Utrecht ends on 31 December"],
  ["2025-12-05", "The lease of the delivery van costs 310 euros a month"],
  ["2025-12-06", "Lease offers for the electric bike are in the blue folder"],
  ["2025-12-09", "The landlord of the flat wants the lease in two copies"],
  ["2026-01-12", "Passport of the user runs out in March 2027"],
  ["2026-03-02", "Passport photographs were taken at Foto Kramer"],
  ["2026-03-14", "The scanner in the office can read a passport"],
  ["2026-03-20", "User's passport number is kept in the safe"],
  ["2025-11-20", "Grandma Ilse turns 80 on 14 May"],
  ["2026-05-03", "Grandma Ilse moved to the home at the river"],
  ["2026-05-14", "Grandma Ilse likes plum cake"],
  ["2026-05-22", "The doctor of grandma Ilse is called Brandt"],
  ["2026-06-11", "The choir sings Brahms on Saturday 28 November in the cathedral"],
  ["2025-11-28", "The choir meets in the parish hall"],
  ["2025-11-29", "The choir needs two more tenors"],
  ["2026-08-01", "Invoice 1043 of the carpenter is due on 2026-12-15"],
  ["2025-12-15", "The carpenter sends invoices by post"],
  ["2025-12-15", "The carpenter's workshop is behind the station"],
  ["2026-10-02", "Car tax has to be paid by the end of January"],
  ["2026-01-08", "The car makes a noise in the cold"],
  ["2026-01-19", "Car keys: the second one is with Tom"],
  ["2026-09-09", "Flight KL1009 to London leaves on 3 April at 7:40"],
  ["2026-04-03", "London flights from Rotterdam are cheaper"],
  ["2026-04-04", "Aunt Jo in London has a spare room"],
  ["2026-07-07", "The marathon in Porto is on 8 November 2027"],
  ["2025-11-08", "Marathon training needs new shoes"],
  ["2025-11-30", "Porto has steep streets"],
  ["2026-03-03", "Swimming lessons of Mia begin in September"],
  ["2025-09-14", "Mia forgot her swimming bag at the pool"],
  ["2025-09-20", "Swimming pool fees went up"],
  ["2026-11-16", "The boiler was repaired by Hansen, 240 euros"],
  ["2026-05-05", "The boiler is a Vaillant from 2014"],
  ["2026-06-06", "The boiler makes 60 degrees"],
  ["2026-10-30", "Dentist appointment for Leo on Tuesday 24 November"],
  ["2026-11-03", "Leo's dentist is Dr. Wu"],
  ["2026-11-10", "Leo is afraid of the dentist"],
  ["2026-04-20", "Die Steuererklärung muss bis 31. Juli abgegeben sein"],
  ["2026-07-02", "Die Steuernummer steht auf dem Bescheid"],
  ["2026-07-18", "Der Steuerberater heißt Vogel"],
  ["2026-02-22", "Ski holiday in Davos booked for February 2027"],
  ["2026-02-10", "Ski boots are size 42"],
  ["2025-02-12", "Holiday money lies in the tin"],
  ["2025-08-08", "The warranty of the dishwasher ends in August 2027"],
  ["2026-08-09", "The dishwasher needs salt"],
  ["2026-08-10", "Warranty papers are in drawer three"],
  ["2026-01-30", "Rent goes up to 1,240 euros from 1 October"],
  ["2026-10-01", "Rent is paid from the shared account"],
  ["2026-10-05", "Rent for the garage is 80 euros"],
  ["2026-05-30", "Book club reads Middlemarch in June and Dune in July"],
  ["2026-06-15", "Book club meets at Nora's"],
  ["2025-06-18", "The book from the library is late"],
  ["2026-11-12", "User said that the project at work may be cancelled"],
  ["2026-05-12", "The project at work is called Heron"],
  ["2026-11-19", "User told that he had a fight with his brother about the boat"],
  ["2026-03-19", "The brother of the user is called Jan"],
  ["2026-10-15", "我的签证十二月到期"],
  ["2025-12-10", "签证照片在抽屉里"],
  ["2025-12-11", "签证中心在三楼"],
];

const questions: readonly (readonly [query: string, answer: string])[] = [
  ["Which lease ends in December?", "The lease of the studio"],
  ["What runs out in March, my passport?", "Passport of the user runs out"],
  ["Which birthday of grandma is on 14 May?", "Grandma Ilse turns 80"],
  ["What does the choir sing on 28 November?", "The choir sings Brahms"],
  ["Which invoice is due on 15 December?", "Invoice 1043"],
  ["What has to be paid for the car in January?", "Car tax"],
  ["Which flight to London leaves on 3 April?", "Flight KL1009"],
  ["Which marathon is in November?", "The marathon in Porto"],
  ["Which swimming lessons begin in September?", "Swimming lessons of Mia"],
  ["Who repaired the boiler last week?", "The boiler was repaired"],
  ["What appointment does Leo have at the dentist on Tuesday?", "Dentist appointment for Leo"],
  ["Was muss im Juli mit der Steuer abgegeben sein?", "Die Steuererklärung"],
  ["Where is the ski holiday in February?", "Ski holiday in Davos"],
  ["Which warranty ends in August 2027?", "The warranty of the dishwasher"],
  ["What does the rent cost from October?", "Rent goes up"],
  ["Which book do we read in July?", "Book club reads Middlemarch"],
  ["What did I tell you about my work last week?", "User said that the project"],
  ["What did I say about my brother this week?", "User told that he had a fight"],
  ["十二月什么签证到期？", "我的签证十二月到期"],
  ["What has to be done at the dentist next week?", "Dentist appointment for Leo"],
];

async function openMemory(): Promise<Store> {
  const store = await openStore({ path: ":memory:" });
  await store.memory.edit(
    "ada",
    memories.map(([said, text]) => ({
      do: "create_block",
      entry: { kind: "memory", text, at: Date.parse(said) },
    })),
    { by: "test" },
  );
  return store;
}

test("a question that has a date finds its memory among the first three, whenever that was said", async () => {
  await using store = await openMemory();
  const missed: string[] = [];
  for (const [query, answer] of questions) {
    const { hits } = await store.memory.search("ada", { query, now, limit: 3 });
    if (!hits.some(({ entry }) => entry.text.startsWith(answer))) missed.push(query);
  }
  expect(missed).toEqual([]);
});

test("only a question for when something was said leaves out what was said at other times", async () => {
  await using store = await openMemory();
  const found = async (query: string) => {
    const { hits } = await store.memory.search("ada", { query, now });
    return hits.map(({ entry }) => new Date(entry.at).toISOString().slice(0, 7));
  };
  expect(new Set(await found("What did I say about the passport in March?"))).toEqual(new Set(["2026-03"]));
  expect((await found("Which passport runs out in March?")).length).toBeGreaterThan(3);
});
