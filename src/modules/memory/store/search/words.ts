import { stemWord } from "../../../../search/index.ts";

/**
 * The words of a text as the index has them: stems of what says something, in their order. Words of grammar are left
 * out, but not where they are written as names are ("asked Will"). Scripts that are written without spaces give every
 * character and every pair of neighbours.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const folded = fold(text);
  for (const match of folded.matchAll(chunks)) {
    const [chunk] = match;
    if (unspaced.test(chunk)) addCharacters(chunk, words);
    else if (!isGrammar(chunk, folded, match.index)) addWord(chunk, words);
  }
  return words;
}

/** All of them, grammar too: of names, tags and dates. */
export function splitAllWords(text: string): string[] {
  const words: string[] = [];
  for (const [chunk] of fold(text).matchAll(chunks)) {
    if (unspaced.test(chunk)) addCharacters(chunk, words);
    else addWord(chunk, words);
  }
  return words;
}

/** The words that a question asks for, each once. Of a language without spaces its characters of grammar are out too. */
export function splitQuery(query: string): string[] {
  const words = new Set(splitWords(query));
  const telling = [...words].filter((word) => !isOfGrammar(word));
  return (telling.length > 0 ? telling : [...words]).slice(0, mostQueryWords);
}

/**
 * The words that entries are looked for by: those of {@link splitQuery}, and then the characters of grammar, which say
 * little, but may be part of a word that says something.
 */
export function splitSought(query: string): string[] {
  const telling = splitQuery(query);
  const grammar = splitWords(query).filter(isOfGrammar);
  return [...new Set([...telling, ...grammar])].slice(0, mostQueryWords);
}

/**
 * It stands mostly for grammar, in a language other than English: a character of one that is written without spaces, or a
 * word that is none of English as well.
 */
export function isOfGrammar(word: string): boolean {
  return grammarCharacters.has(word) || grammarElsewhere().has(word);
}

/** A character, or a pair, of a script that is written without spaces. */
export function isUnspaced(word: string): boolean {
  return unspaced.test(word);
}

/** The query is likely in English: written in Latin letters, and with no more words of another grammar than of its own. */
export function isEnglish(query: string): boolean {
  const folded = fold(query).toLowerCase();
  if (/[\p{Script=Cyrillic}\p{Script=Arabic}]/u.test(folded)) return false;
  let [own, others] = [0, 0];
  for (const [chunk] of folded.matchAll(chunks)) {
    if (chunk.length === 1) continue;
    if (grammar.has(chunk)) own++;
    else if (grammarElsewhere().has(findKnownStem(chunk))) others++;
  }
  return others <= own;
}

/** Letters as they are typed, without case: full width, ligatures and accents are folded. */
export function foldCase(text: string): string {
  return fold(text).toLowerCase();
}

/** More is no question but a text; its beginning says what it is about. */
const mostQueryWords = 256;
const longestWord = 64;

const unspacedScripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const unspaced = new RegExp(`^[${unspacedScripts}]`, "u");
const chunks = new RegExp(`[${unspacedScripts}]+|(?:(?![${unspacedScripts}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
/** The pieces of a chunk: `getUserInfo` has get, User and Info. */
const pieces = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+/gu;

function fold(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

function isGrammar(chunk: string, text: string, at: number): boolean {
  if (!grammar.has(chunk.toLowerCase())) return false;
  const asName =
    chunk.length > 2 && /^\p{Lu}\p{Ll}+$/u.test(chunk) && /[\p{L},;:] $/u.test(text.slice(at - 2, at));
  return !asName;
}

function addWord(chunk: string, words: string[]): void {
  words.push(findKnownStem(chunk.toLowerCase()));
  if (!/\p{Ll}\p{Lu}/u.test(chunk)) return;
  for (const piece of chunk.match(pieces) ?? []) words.push(findKnownStem(piece.toLowerCase()));
}

function addCharacters(chunk: string, words: string[]): void {
  let before = "";
  for (const character of chunk) {
    words.push(character);
    if (before !== "") words.push(before + character);
    before = character;
  }
}

/** The same words come again and again. */
const stems = new Map<string, string>();
const mostStems = 20_000;

function findKnownStem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = stemWord(word).slice(0, longestWord);
  if (stems.size >= mostStems) stems.clear();
  stems.set(word, stem);
  return stem;
}

const grammar: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by
   can could d did do does doing don down during each few for from further had has have having he her here hers herself
   him himself his how i if in into is it its itself just ll m me more most my myself no nor not now of off on once only
   or other our ours ourselves out over own re s same she should so some such t than that the their theirs them
   themselves then there these they this those through to too under until up ve very was we were what when where which
   while who whom whose why will with would you your yours yourself yourselves`.split(/\s+/),
);

/** German, French, Spanish, Italian, Portuguese, Dutch, Russian and Arabic, as the index has them; made at the first search. */
function grammarElsewhere(): ReadonlySet<string> {
  madeGrammar ??= without(
    "come con den do era me met no on par per pour sin son sur ton van",
    splitWords(`der das den dem des und ist sind ein eine einen einem einer eines wie wo wer wen wem wann warum welche welcher
    welches welchen mein meine meinen meiner meinem dein deine sein seine seinen ihr ihre ihren unser unsere ich du er sie
    es wir mich mir dich dir sich habe haben hatte wird werden wurde kann soll sollen muss mit von vom zu zum zur bei beim
    fur auf aus nach uber unter nicht kein keine auch noch oder aber dass wenn weil im ins um als vor
    le la les un une du de des et est sont quel quelle quels quelles qui que quoi dont ou quand comment pourquoi mon ma
    mes ton ta tes ses notre nos votre vos leur leurs je tu il elle nous vous ils elles me te se ce cet cette ces dans
    en sur pour avec sans par au aux ne pas plus fait sont ete suis
    el los las una unos unas del al y cual cuales quien donde cuando como cuanto mi mis tu tus su sus nuestro nuestra yo
    ella nosotros ellos lo con sin por para no es son esta estan fue ha he que
    il lo gli i uno degli della dei delle nel nella e sono quale quali chi dove quando come quanto mio mia miei mie tuo
    tua suo sua nostro io lei noi loro mi ti si con per da non che ho ha era
    o os as um uma do da dos das no na nos nas e sao qual quais quem onde quando quanto meu minha meus minhas teu seu sua
    eu ele ela nos eles com sem por para nao foi tem
    het een van zijn is wie wat waar wanneer waarom hoe welke welk mijn jouw haar ons onze ik jij hij zij wij heb hebben
    heeft met voor naar op uit bij niet geen ook nog maar dat
    и в во не на я с со что как а то все она так его но да ты к у же вы за бы по ее мне есть меня еще нет из ему когда
    уже для вот о об мы тебя их чем была были был быть мой моя мое мои кто кем где куда какой какая какие сколько это
    этот эта под над от до при
    في من على الى إلى عن مع هل ما ماذا متى اين أين كيف كم لماذا هو هي انا أنا نحن انت أنت هذا هذه ذلك التي الذي و أو او
    لا لم لن قد كان كانت يكون ان أن إن لي له لها`),
  );
  return madeGrammar;
}

let madeGrammar: ReadonlySet<string> | undefined;

/** English words that say something are none of grammar, whatever they are elsewhere. */
function without(english: string, words: readonly string[]): ReadonlySet<string> {
  const kept = new Set(splitWords(english));
  return new Set(words.filter((word) => !kept.has(word)));
}

const grammarCharacters: ReadonlySet<string> = new Set(
  "的了我你是在吗呢吧啊哦嘿对就也都很这那有不么什怎为想要会能可以和跟与他她它们个一上下到去来说のはがをにでとも을를이가은는에의",
);
