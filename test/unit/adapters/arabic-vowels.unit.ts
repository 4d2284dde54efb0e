import { expect } from 'chai';
import { withVowels } from '../../../adapters/speech/arabic-vowels.js';
import {
  spokenCount,
  spokenDate,
  spokenDigits,
  spokenDuration,
  spokenHijriDate,
  spokenMoney,
  spokenNumber,
  spokenOrdinal,
  spokenTime,
} from '../../../core/model/spoken/index.js';
import { NOUNS, type NounName } from '../../../core/model/spoken/count.js';

const MARK = /[\u064b-\u0652]/;
/** Words that need no vowels: short ones, and those with only long vowels. */
const PLAIN = new Set([
  'ساعات',
  'آلاف',
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

describe('Arabic vowels', () => {
  /** All words that the platform generates. */
  function* said(): Generator<string> {
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
    for (const text of said()) {
      for (const word of withVowels(text).split(/[\s.،]+/))
        if (!MARK.test(word) && !PLAIN.has(word) && word !== '') bare.add(word);
    }
    expect([...bare]).to.deep.equal([]);
  });

  it('change no letter but the last ة before a pause', () => {
    for (const text of said()) {
      const letters = (words: string): string => words.replace(/[\u064b-\u0652]/g, '').replace(/ه(?=$|[.،])/g, 'ة');
      expect(letters(withVowels(text))).to.equal(letters(text));
    }
  });

  for (const [text, expected] of [
    ['ثلاثة', 'ثَلاثَه'],
    ['ثلاثة آلاف ريال', 'ثَلاثَة آلاف رِيال'],
    ['خمسة، ستة', 'خَمْسَه، سِتَّه'],
    ['الساعة الثالثة والنصف مساءً', 'السّاعَة الثّالِثَة وَالنِّصْف مَساءً'],
    ['أحد عشر ريالًا', 'أَحَد عَشَر رِيالًا'],
    // Other words are unchanged.
    ['مرحبا بكم في هاتف.', 'مرحبا بكم في هاتف.'],
    ['كَتَبَ 123', 'كَتَبَ 123'],
    ['Hello', 'Hello'],
  ] as const) {
    it(`say ${text} as ${expected}`, () => expect(withVowels(text).normalize()).to.equal(expected.normalize()));
  }
});
