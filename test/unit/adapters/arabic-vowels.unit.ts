import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { withVowels } from '../../../adapters/speech/arabic-vowels.js';
import {
  spokenCount,
  spokenDate,
  spokenDay,
  spokenDigits,
  spokenDuration,
  spokenHijriDate,
  spokenMoney,
  spokenNumber,
  spokenOrdinal,
  spokenTime,
} from '../../../core/model/spoken/index.js';
import { NOUNS, type NounName } from '../../../core/model/spoken/nouns.js';

const MARK = /[\u064b-\u0652]/;
/** Words that need no vowels: short ones, and those with only long vowels. */
const PLAIN = new Set([
  'ساعات',
  'آلاف',
  'خانات',
  'الثاني',
  'مايو',
  'عام',
  'وعام',
  'حادي',
  'الحادي',
  'والحادي',
  'ثاني',
  'ذي',
  'والآلاف',
  'وآلاف',
  'الآلاف',
]);

/** Words of prompts that espeak-ng knows, or that have only long vowels. */
const WITHOUT_SHORT_VOWELS = new Set(['هذه', 'هذا', 'في', 'لا', 'الآن', 'وفي']);

/** Puts the shadda before its vowel, as espeak-ng requires. */
function inEspeakOrder(text: string): string {
  return text.replace(/([\u064b-\u0650])\u0651/g, '\u0651$1');
}

describe('Arabic vowels', () => {
  /** All words that the platform generates. */
  function* spokenTexts(): Generator<string> {
    const numbers = [
      ...Array(121).keys(),
      200,
      203,
      300,
      412,
      512,
      600,
      715,
      800,
      999,
      1000,
      2000,
      3005,
      11_000,
      22_000,
      2e6,
      3e6,
      12e6,
      1e9,
      2e9,
      5e9,
      11e9,
      1e12,
      2e12,
      3e12,
      11e12,
      3.5,
      -2,
    ];
    for (const n of numbers) {
      for (const grammaticalCase of ['nominative', 'oblique'] as const) {
        yield spokenNumber(n, 'ar', 'masculine', grammaticalCase);
        yield spokenNumber(n, 'ar', 'feminine', grammaticalCase);
        yield spokenMoney(n, 'ar', grammaticalCase);
        for (const noun of Object.keys(NOUNS) as NounName[]) yield spokenCount(n, noun, 'ar', grammaticalCase);
        if (n > 0 && n < 130 && Number.isInteger(n)) {
          yield spokenOrdinal(n, 'ar', 'masculine', grammaticalCase);
          yield spokenOrdinal(n, 'ar', 'feminine', grammaticalCase);
        }
      }
    }
    for (let month = 1; month <= 12; month++) {
      yield spokenDate({ year: 2026, month, day: month + 5 }, 'ar');
      yield spokenHijriDate({ year: 1448, month, day: month }, 'ar');
    }
    for (let minute = 0; minute < 1440; minute += 7) {
      yield spokenTime({ hour: Math.floor(minute / 60), minute: minute % 60 }, 'ar');
    }
    yield spokenDuration(90_061, 'ar');
    yield spokenDigits('0123456789+*#.', 'ar');
  }

  it('are added to every word that the platform generates', () => {
    const bare = new Set<string>();
    for (const text of spokenTexts()) {
      for (const word of withVowels(text).split(/[\s.،]+/))
        if (!MARK.test(word) && !PLAIN.has(word) && word !== '') bare.add(word);
    }
    expect([...bare]).to.deep.equal([]);
  });

  it('change no letter but the last ة before a pause', () => {
    for (const text of spokenTexts()) {
      // A doubled و or ي is written twice, and a silent alif is omitted.
      const letters = (words: string): string =>
        words
          .replace(/[\u064b-\u0652]/g, '')
          .replace(/ه(?=$|[.،])/g, 'ة')
          .replace(/وو(?=[لا])/g, 'و')
          .replace(/يي(?=[اةت])/g, 'ي')
          .replace(/(?<=\s)وا?ثن/g, 'وثن');
      expect(letters(withVowels(text))).to.equal(letters(text));
    }
  });

  for (const [text, expected] of [
    ['ثلاثة', 'ثَلاثَه'],
    ['ثلاثة آلاف ريال', 'ثَلاثَة آلاف رِيال'],
    ['خمسة، ستة', 'خَمْسَه، سِتَّه'],
    ['الساعة الثالثة والنصف مساءً', 'الساعَة الثالِثَة وَالنِّصْف مَساءً'],
    ['أحد عشر ريالًا', 'أَحَد عَشَر رِيالًا'],
    // Other words are unchanged.
    ['أهلا بكم في متجرنا.', 'أهلا بكم في متجرنا.'],
    ['كَتَبَ 123', 'كَتَبَ 123'],
    ['Hello', 'Hello'],
  ] as const) {
    it(`say ${text} as ${expected}`, () => expect(withVowels(text).normalize()).to.equal(expected.normalize()));
  }

  /** All Arabic texts that call programs and call services speak, without their placeholders. */
  function fixedPrompts(): readonly string[] {
    const files = ['ivr', 'core/services/voice-auth', 'core/services/codes', 'core/services/recordings'].flatMap(
      (folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
    const spoken = files.filter((file) => /^ivr\/.*\.ts$|words\.ts$|spoken-codes\.ts$|consent\.ts$/.test(file));
    return spoken.flatMap((file) => {
      const literals =
        readFileSync(file, 'utf8').match(/'[^'\n]*[\u0621-\u064a][^'\n]*'|`[^`]*[\u0621-\u064a][^`]*`/g) ?? [];
      return literals.map((literal) => literal.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, ' '));
    });
  }

  it('are added to every word of the fixed prompts', () => {
    const prompts = fixedPrompts();
    expect(prompts).to.have.length.above(40);
    const bare = new Set<string>();
    for (const prompt of prompts) {
      for (const word of withVowels(prompt).match(/[\u0621-\u0652]+/g) ?? [])
        if (!MARK.test(word) && !WITHOUT_SHORT_VOWELS.has(word)) bare.add(word);
    }
    expect([...bare]).to.deep.equal([]);
  });

  /** Spellings verified by listening to espeak-ng. */
  for (const [text, expected] of [
    [spokenDigits('6', 'ar'), 'سِتَّه'],
    ['المربع', 'المُرَبَّع'],
    [spokenMoney(2000, 'ar'), 'أَلْفا رِيال'],
    [spokenMoney(2_000_000, 'ar'), 'مِلْيُونا رِيال'],
    ['ألفًا', 'أَلْفًا'],
    [spokenHijriDate({ year: 1448, month: 2, day: 5 }, 'ar'), 'الخامِس مِن صَفَر، عام أَلْف وَأَرْبَعُمِئَة وَثَمانِيَة وَأَرْبَعين لِلهِجْرَه'],
    [spokenCount(3, 'caller', 'ar'), 'ثَلاثَة مُتَّصِلين'],
    [spokenCount(2, 'caller', 'ar', 'oblique'), 'مُتَّصِلَيْن'],
    [spokenCount(11, 'minute', 'ar'), 'إِحْدى عَشْرَة دَقيقَه'],
    [spokenTime({ hour: 12, minute: 0 }, 'ar'), 'الساعَة الثانِيَة عَشْرَة ظُهْرًا'],
    [spokenCount(10, 'riyal', 'ar'), 'عَشَرَة رِيالات'],
    [spokenCount(13, 'riyal', 'ar'), 'ثَلاثَة عَشَر رِيالًا'],
    [spokenCount(10, 'minute', 'ar'), 'عَشْر دَقائِق'],
    [spokenCount(110, 'minute', 'ar'), 'مِئَة وَعَشْر دَقائِق'],
    [spokenTime({ hour: 18, minute: 30 }, 'ar'), 'الساعَة السادِسَة وَالنِّصْف مَساءً'],
    [spokenDay({ year: 2026, month: 6, day: 3 }, 'ar'), 'الأَرْبِعاء، الثالِث مِن يُونْيُو'],
    ['لا يوجد رقم آخر.', 'لا يُوجَد رَقْم آخَر.'],
    ['ربيع الآخر', 'رَبيع الآخِر'],
    ['الخط الآخر', 'الخَطّ الآخَر'],
    ['جمادى الآخرة', 'جُمادى الآخِرَه'],
    ['مئتان واثنان', 'مِئَتان وَثْنان'],
    // espeak-ng does not double these letters.
    [spokenOrdinal(1, 'ar'), 'الأَوْوَل'],
    ['خمسة أيام', 'خَمْسَة أَيْيَام'],
    // Partly marked words get the other marks, unless the marks belong to another word.
    ['تعذّر', 'تَعَذَّرَ'],
    ['صَفَر', 'صَفَر'],
  ] as const) {
    it(`are spelled for espeak-ng: ${text}`, () => expect(withVowels(text)).to.equal(inEspeakOrder(expected)));
  }
});
