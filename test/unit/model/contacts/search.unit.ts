import { expect } from 'chai';
import { indexedWords, plainWords, searchedWords } from '../../../../core/model/contacts/search.js';

const REEM = {
  phone: '+966501234567',
  email: 'r.otaibi@example.com',
  name_en: 'Reem Al-Otaibi',
  name_ar: 'رِيم العُتيبيّ',
};

/** Whether a search finds the contact, as PostgreSQL does it: each word begins one of the contact's. */
const finds = (query: string, contact: Partial<typeof REEM>): boolean => {
  const words = indexedWords({ phone: null, email: null, name_en: null, name_ar: null, ...contact });
  return searchedWords(query).every((sought) => words.some((word) => word.startsWith(sought)));
};

describe('the words of contacts', () => {
  for (const [text, words] of [
    ['أَحْمَد إبراهيم آل سعود', 'احمد ابراهيم ال سعود'],
    ['ٱلرحمن', 'الرحمن'],
    ['فاطمة هدى', 'فاطمه هدي'],
    ['محـــمد', 'محمد'],
    ['مؤمن هناء بئر', 'مومن هنا بير'],
    ['علی کریم', 'علي كريم'],
    ['José  MÜLLER-Lüd', 'jose muller lud'],
    ['رقم ٠٥٠', 'رقم 050'],
    ["'; DROP & | ! :* \\ <->", 'drop'],
    ['ﻣﺤﻤﺪ', 'محمد'],
    [' — ', ''],
  ] as const) {
    it(`reads «${text}» as «${words}»`, () => {
      expect(plainWords(text).join(' ')).to.equal(words);
    });
  }

  for (const [query, contact] of [
    ['ريم', REEM],
    ['ريم عتيبي', REEM],
    ['العتيبى', REEM],
    ['REEM ota', REEM],
    ['AlOtaibi', REEM],
    ['al otaibi', REEM],
    ['otaibi@exa', REEM],
    ['0501234567', REEM],
    ['٠٥٠١٢٣٤٥٦٧', REEM],
    ['+966 50 123 4567', REEM],
    ['966501', REEM],
    ['0501', REEM],
    ['4567', REEM],
    ['عبدالله', { name_ar: 'عبد الله بن سعود' }],
    ['عبد الله', { name_ar: 'عبد الله' }],
    ['أبوبكر', { name_ar: 'ابو بكر' }],
    ['اسامه', { name_ar: 'أُسَامَة' }],
    ['71838750', { phone: '+442071838750' }],
  ] as const) {
    it(`find the contact by «${query}»`, () => {
      expect(finds(query, contact)).to.equal(true);
    });
  }

  it('do not find others', () => {
    for (const query of ['رين', 'ريم سعود', '0501234568', '567', 'taibi'])
      expect(finds(query, REEM), query).to.equal(false);
  });

  it('are none for text without letters and digits, and at most eight', () => {
    expect(searchedWords('%_*:&')).to.deep.equal([]);
    expect(searchedWords('a b c d e f g h i j')).to.have.length(8);
  });
});
