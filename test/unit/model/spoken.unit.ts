import { expect } from 'chai';
import fc from 'fast-check';
import {
  asciiDigits,
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
import { positionAnnouncement } from '../../../ivr/programs/queue-announcement.js';

/** n, counting a masculine noun, counting a feminine noun. */
const ARABIC_NUMBERS: readonly (readonly [number, string, string])[] = [
  [0, 'صفر', 'صفر'],
  [1, 'واحد', 'واحدة'],
  [2, 'اثنان', 'اثنتان'],
  [3, 'ثلاثة', 'ثلاث'],
  [4, 'أربعة', 'أربع'],
  [5, 'خمسة', 'خمس'],
  [6, 'ستة', 'ست'],
  [7, 'سبعة', 'سبع'],
  [8, 'ثمانية', 'ثمان'],
  [9, 'تسعة', 'تسع'],
  [10, 'عشرة', 'عشر'],
  [11, 'أحد عشر', 'إحدى عشرة'],
  [12, 'اثنا عشر', 'اثنتا عشرة'],
  [13, 'ثلاثة عشر', 'ثلاث عشرة'],
  [15, 'خمسة عشر', 'خمس عشرة'],
  [18, 'ثمانية عشر', 'ثماني عشرة'],
  [19, 'تسعة عشر', 'تسع عشرة'],
  [20, 'عشرون', 'عشرون'],
  [21, 'واحد وعشرون', 'إحدى وعشرون'],
  [22, 'اثنان وعشرون', 'اثنتان وعشرون'],
  [28, 'ثمانية وعشرون', 'ثمان وعشرون'],
  [33, 'ثلاثة وثلاثون', 'ثلاث وثلاثون'],
  [99, 'تسعة وتسعون', 'تسع وتسعون'],
  [100, 'مئة', 'مئة'],
  [101, 'مئة وواحد', 'مئة وواحدة'],
  [111, 'مئة وأحد عشر', 'مئة وإحدى عشرة'],
  [200, 'مئتان', 'مئتان'],
  [300, 'ثلاثمئة', 'ثلاثمئة'],
  [345, 'ثلاثمئة وخمسة وأربعون', 'ثلاثمئة وخمس وأربعون'],
  [800, 'ثمانمئة', 'ثمانمئة'],
  [1000, 'ألف', 'ألف'],
  [1001, 'ألف وواحد', 'ألف وواحدة'],
  [2000, 'ألفان', 'ألفان'],
  [2026, 'ألفان وستة وعشرون', 'ألفان وست وعشرون'],
  [3000, 'ثلاثة آلاف', 'ثلاثة آلاف'],
  [10_000, 'عشرة آلاف', 'عشرة آلاف'],
  [11_000, 'أحد عشر ألفًا', 'أحد عشر ألفًا'],
  [12_000, 'اثنا عشر ألفًا', 'اثنا عشر ألفًا'],
  [100_000, 'مئة ألف', 'مئة ألف'],
  [102_000, 'مئة ألف وألفان', 'مئة ألف وألفان'],
  [200_000, 'مئتا ألف', 'مئتا ألف'],
  [305_007, 'ثلاثمئة وخمسة آلاف وسبعة', 'ثلاثمئة وخمسة آلاف وسبع'],
  [1_000_000, 'مليون', 'مليون'],
  [2_000_000, 'مليونان', 'مليونان'],
  [4_000_000, 'أربعة ملايين', 'أربعة ملايين'],
  [1_000_000_000, 'مليار', 'مليار'],
  [5_000_000_000, 'خمسة مليارات', 'خمسة مليارات'],
  [1_000_000_000_000, 'تريليون', 'تريليون'],
  [3.14, 'ثلاثة فاصلة واحد أربعة', 'ثلاث فاصلة واحد أربعة'],
  [0.5, 'صفر فاصلة خمسة', 'صفر فاصلة خمسة'],
  [-7, 'سالب سبعة', 'سالب سبع'],
];

const ENGLISH_NUMBERS: readonly (readonly [number, string])[] = [
  [0, 'zero'],
  [-0, 'zero'],
  [7, 'seven'],
  [12, 'twelve'],
  [19, 'nineteen'],
  [20, 'twenty'],
  [42, 'forty-two'],
  [100, 'one hundred'],
  [101, 'one hundred and one'],
  [999, 'nine hundred and ninety-nine'],
  [1000, 'one thousand'],
  [1001, 'one thousand and one'],
  [1200, 'one thousand two hundred'],
  [20_015, 'twenty thousand and fifteen'],
  [1_000_000, 'one million'],
  [2_345_678, 'two million three hundred and forty-five thousand six hundred and seventy-eight'],
  [1_000_000_000_000, 'one trillion'],
  [2.5, 'two point five'],
  [0.1 + 0.2, 'zero point three'],
  [10.05, 'ten point zero five'],
  [-3, 'minus three'],
  [-0.0000001, 'zero'],
  [1e15, 'one, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero'],
];

/** n, messages (feminine), days (masculine); then the same two after a preposition. */
const ARABIC_COUNTS: readonly (readonly [number, string, string, string, string])[] = [
  [0, 'صفر رسالة', 'صفر يوم', 'صفر رسالة', 'صفر يوم'],
  [1, 'رسالة واحدة', 'يوم واحد', 'رسالة واحدة', 'يوم واحد'],
  [2, 'رسالتان', 'يومان', 'رسالتين', 'يومين'],
  [3, 'ثلاث رسائل', 'ثلاثة أيام', 'ثلاث رسائل', 'ثلاثة أيام'],
  [8, 'ثماني رسائل', 'ثمانية أيام', 'ثماني رسائل', 'ثمانية أيام'],
  [10, 'عشر رسائل', 'عشرة أيام', 'عشر رسائل', 'عشرة أيام'],
  [11, 'إحدى عشرة رسالة', 'أحد عشر يومًا', 'إحدى عشرة رسالة', 'أحد عشر يومًا'],
  [12, 'اثنتا عشرة رسالة', 'اثنا عشر يومًا', 'اثنتي عشرة رسالة', 'اثني عشر يومًا'],
  [20, 'عشرون رسالة', 'عشرون يومًا', 'عشرين رسالة', 'عشرين يومًا'],
  [22, 'اثنتان وعشرون رسالة', 'اثنان وعشرون يومًا', 'اثنتين وعشرين رسالة', 'اثنين وعشرين يومًا'],
  [99, 'تسع وتسعون رسالة', 'تسعة وتسعون يومًا', 'تسع وتسعين رسالة', 'تسعة وتسعين يومًا'],
  [100, 'مئة رسالة', 'مئة يوم', 'مئة رسالة', 'مئة يوم'],
  [101, 'مئة رسالة ورسالة', 'مئة يوم ويوم', 'مئة رسالة ورسالة', 'مئة يوم ويوم'],
  [102, 'مئة رسالة ورسالتان', 'مئة يوم ويومان', 'مئة رسالة ورسالتين', 'مئة يوم ويومين'],
  [105, 'مئة وخمس رسائل', 'مئة وخمسة أيام', 'مئة وخمس رسائل', 'مئة وخمسة أيام'],
  [111, 'مئة وإحدى عشرة رسالة', 'مئة وأحد عشر يومًا', 'مئة وإحدى عشرة رسالة', 'مئة وأحد عشر يومًا'],
  [200, 'مئتا رسالة', 'مئتا يوم', 'مئتي رسالة', 'مئتي يوم'],
  [1000, 'ألف رسالة', 'ألف يوم', 'ألف رسالة', 'ألف يوم'],
  [1001, 'ألف رسالة ورسالة', 'ألف يوم ويوم', 'ألف رسالة ورسالة', 'ألف يوم ويوم'],
  [2000, 'ألفا رسالة', 'ألفا يوم', 'ألفي رسالة', 'ألفي يوم'],
  [5200, 'خمسة آلاف ومئتا رسالة', 'خمسة آلاف ومئتا يوم', 'خمسة آلاف ومئتي رسالة', 'خمسة آلاف ومئتي يوم'],
  [12_000, 'اثنا عشر ألف رسالة', 'اثنا عشر ألف يوم', 'اثني عشر ألف رسالة', 'اثني عشر ألف يوم'],
  [2_000_000, 'مليونا رسالة', 'مليونا يوم', 'مليوني رسالة', 'مليوني يوم'],
];

const ORDINALS: readonly (readonly [number, string, string, string])[] = [
  [1, 'الأول', 'الأولى', 'first'],
  [2, 'الثاني', 'الثانية', 'second'],
  [3, 'الثالث', 'الثالثة', 'third'],
  [5, 'الخامس', 'الخامسة', 'fifth'],
  [8, 'الثامن', 'الثامنة', 'eighth'],
  [9, 'التاسع', 'التاسعة', 'ninth'],
  [10, 'العاشر', 'العاشرة', 'tenth'],
  [11, 'الحادي عشر', 'الحادية عشرة', 'eleventh'],
  [12, 'الثاني عشر', 'الثانية عشرة', 'twelfth'],
  [20, 'العشرون', 'العشرون', 'twentieth'],
  [21, 'الحادي والعشرون', 'الحادية والعشرون', 'twenty-first'],
  [45, 'الخامس والأربعون', 'الخامسة والأربعون', 'forty-fifth'],
  [100, 'المئة', 'المئة', 'one hundredth'],
  [101, 'الأول بعد المئة', 'الأولى بعد المئة', 'one hundred and first'],
  [203, 'الثالث بعد المئتين', 'الثالثة بعد المئتين', 'two hundred and third'],
  [1000, 'الألف', 'الألف', 'one thousandth'],
];

const AMOUNTS: readonly (readonly [number, string, string])[] = [
  [0, 'صفر ريال', 'zero riyals'],
  [0.004, 'صفر ريال', 'zero riyals'],
  [0.01, 'هللة واحدة', 'one halala'],
  [0.02, 'هللتان', 'two halalas'],
  [0.5, 'خمسون هللة', 'fifty halalas'],
  [1, 'ريال واحد', 'one riyal'],
  [1.005, 'ريال واحد وهللة واحدة', 'one riyal and one halala'],
  [2, 'ريالان', 'two riyals'],
  [2.05, 'ريالان وخمس هللات', 'two riyals and five halalas'],
  [7.99, 'سبعة ريالات وتسع وتسعون هللة', 'seven riyals and ninety-nine halalas'],
  [12.5, 'اثنا عشر ريالًا وخمسون هللة', 'twelve riyals and fifty halalas'],
  [100, 'مئة ريال', 'one hundred riyals'],
  [1.999, 'ريالان', 'two riyals'],
  [102.11, 'مئة ريال وريالان وإحدى عشرة هللة', 'one hundred and two riyals and eleven halalas'],
  [1500, 'ألف وخمسمئة ريال', 'one thousand five hundred riyals'],
  [-3.25, 'سالب ثلاثة ريالات وخمس وعشرين هللة', 'minus three riyals and twenty-five halalas'],
  [1e-7, 'صفر ريال', 'zero riyals'],
];

const DURATIONS: readonly (readonly [number, string, string])[] = [
  [0, 'صفر ثانية', 'zero seconds'],
  [1, 'ثانية واحدة', 'one second'],
  [7, 'سبع ثوانٍ', 'seven seconds'],
  [60, 'دقيقة واحدة', 'one minute'],
  [90, 'دقيقة واحدة وثلاثون ثانية', 'one minute and thirty seconds'],
  [120, 'دقيقتان', 'two minutes'],
  [660, 'إحدى عشرة دقيقة', 'eleven minutes'],
  [7200, 'ساعتان', 'two hours'],
  [3723, 'ساعة واحدة ودقيقتان وثلاث ثوانٍ', 'one hour, two minutes and three seconds'],
  [3 * 86_400, 'ثلاثة أيام', 'three days'],
];

const TIMES: readonly (readonly [number, number, string, string])[] = [
  [0, 0, 'الساعة الثانية عشرة منتصف الليل', 'twelve midnight'],
  [0, 30, 'الساعة الثانية عشرة والنصف بعد منتصف الليل', 'twelve thirty a.m.'],
  [1, 0, 'الساعة الواحدة صباحًا', 'one a.m.'],
  [9, 5, 'الساعة التاسعة وخمس دقائق صباحًا', 'nine oh five a.m.'],
  [11, 1, 'الساعة الحادية عشرة ودقيقة واحدة صباحًا', 'eleven oh one a.m.'],
  [12, 0, 'الساعة الثانية عشرة ظهرًا', 'twelve noon'],
  [13, 2, 'الساعة الواحدة ودقيقتان ظهرًا', 'one oh two p.m.'],
  [15, 15, 'الساعة الثالثة والربع عصرًا', 'three fifteen p.m.'],
  [17, 42, 'الساعة الخامسة واثنتان وأربعون دقيقة عصرًا', 'five forty-two p.m.'],
  [0, 45, 'الساعة الواحدة إلا ربعًا بعد منتصف الليل', 'twelve forty-five a.m.'],
  [11, 45, 'الساعة الثانية عشرة إلا ربعًا ظهرًا', 'eleven forty-five a.m.'],
  [14, 45, 'الساعة الثالثة إلا ربعًا عصرًا', 'two forty-five p.m.'],
  [18, 0, 'الساعة السادسة مساءً', 'six p.m.'],
  [23, 45, 'الساعة الثانية عشرة إلا ربعًا مساءً', 'eleven forty-five p.m.'],
  [23, 59, 'الساعة الحادية عشرة وتسع وخمسون دقيقة مساءً', 'eleven fifty-nine p.m.'],
];

const DATES: readonly (readonly [string, string, string])[] = [
  [
    '2026-11-22',
    'الأحد، الثاني والعشرون من نوفمبر، عام ألفين وستة وعشرين',
    'Sunday, the twenty-second of November, twenty twenty-six',
  ],
  ['2000-01-01', 'السبت، الأول من يناير، عام ألفين', 'Saturday, the first of January, two thousand'],
  [
    '1999-12-31',
    'الجمعة، الحادي والثلاثون من ديسمبر، عام ألف وتسعمئة وتسعة وتسعين',
    'Friday, the thirty-first of December, nineteen ninety-nine',
  ],
  ['2005-02-03', 'الخميس، الثالث من فبراير، عام ألفين وخمسة', 'Thursday, the third of February, two thousand and five'],
  ['1906-05-20', 'الأحد، العشرون من مايو، عام ألف وتسعمئة وستة', 'Sunday, the twentieth of May, nineteen oh six'],
  ['1900-08-11', 'السبت، الحادي عشر من أغسطس، عام ألف وتسعمئة', 'Saturday, the eleventh of August, nineteen hundred'],
];

function dateOf(text: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return { year, month, day };
}

describe('Spoken words', () => {
  for (const [n, masculine, feminine] of ARABIC_NUMBERS) {
    it(`say ${n} in Arabic`, () => {
      expect(spokenNumber(n, 'ar')).to.equal(masculine);
      expect(spokenNumber(n, 'ar', 'feminine')).to.equal(feminine);
    });
  }

  for (const [n, words] of ENGLISH_NUMBERS) {
    it(`say ${n} in English`, () => expect(spokenNumber(n, 'en')).to.equal(words));
  }

  for (const n of [NaN, Infinity, -Infinity]) {
    it(`refuse ${n}`, () => {
      expect(() => spokenNumber(n, 'ar')).to.throw(RangeError);
      expect(() => spokenMoney(n, 'en')).to.throw(RangeError);
      expect(() => spokenDuration(n, 'en')).to.throw(RangeError);
      expect(() => spokenOrdinal(n, 'ar')).to.throw(RangeError);
    });
  }

  for (const [n, messages, days, ofMessages, ofDays] of ARABIC_COUNTS) {
    it(`count ${n} messages and days in Arabic`, () => {
      expect(spokenCount(n, 'message', 'ar')).to.equal(messages);
      expect(spokenCount(n, 'day', 'ar')).to.equal(days);
      expect(spokenCount(n, 'message', 'ar', 'oblique')).to.equal(ofMessages);
      expect(spokenCount(n, 'day', 'ar', 'oblique')).to.equal(ofDays);
    });
  }

  for (const [n, ar, en] of [
    [1, 'رسالة جديدة واحدة', 'one new message'],
    [2, 'رسالتان جديدتان', 'two new messages'],
    [3, 'ثلاث رسائل جديدة', 'three new messages'],
    [17, 'سبع عشرة رسالة جديدة', 'seventeen new messages'],
  ] as const) {
    it(`keep the adjective with the counted noun: ${n}`, () => {
      expect(spokenCount(n, 'new_message', 'ar')).to.equal(ar);
      expect(spokenCount(n, 'new_message', 'en')).to.equal(en);
    });
  }

  it('count fractions and negative numbers', () => {
    expect(spokenCount(2.5, 'minute', 'ar')).to.equal('دقيقتان ونصف');
    expect(spokenCount(2.5, 'minute', 'ar', 'oblique')).to.equal('دقيقتين ونصف');
    expect(spokenCount(0.25, 'hour', 'ar')).to.equal('ربع ساعة');
    expect(spokenCount(3.75, 'day', 'ar')).to.equal('ثلاثة أيام وثلاثة أرباع');
    expect(spokenCount(2.3, 'minute', 'ar')).to.equal('اثنان فاصلة ثلاثة دقيقة');
    expect(spokenCount(2.5, 'minute', 'en')).to.equal('two point five minutes');
    expect(spokenCount(-2, 'day', 'ar')).to.equal('سالب يومين');
    expect(spokenCount(-2, 'person', 'en')).to.equal('minus two people');
  });

  for (const [n, masculine, feminine, english] of ORDINALS) {
    it(`say the ordinal of ${n}`, () => {
      expect(spokenOrdinal(n, 'ar')).to.equal(masculine);
      expect(spokenOrdinal(n, 'ar', 'feminine')).to.equal(feminine);
      expect(spokenOrdinal(n, 'en')).to.equal(english);
    });
  }

  it('say an ordinal after a preposition', () =>
    expect(spokenOrdinal(21, 'ar', 'masculine', 'oblique')).to.equal('الحادي والعشرين'));

  for (const [amount, ar, en] of AMOUNTS) {
    it(`say ${amount} SAR`, () => {
      expect(spokenMoney(amount, 'ar')).to.equal(ar);
      expect(spokenMoney(amount, 'en')).to.equal(en);
    });
  }

  for (const [seconds, ar, en] of DURATIONS) {
    it(`say a duration of ${seconds} seconds`, () => {
      expect(spokenDuration(seconds, 'ar')).to.equal(ar);
      expect(spokenDuration(seconds, 'en')).to.equal(en);
    });
  }

  for (const [hour, minute, ar, en] of TIMES) {
    it(`say the time ${hour}:${minute}`, () => {
      expect(spokenTime({ hour, minute }, 'ar')).to.equal(ar);
      expect(spokenTime({ hour, minute }, 'en')).to.equal(en);
    });
  }

  for (const [date, ar, en] of DATES) {
    it(`say the date ${date}`, () => {
      expect(spokenDate(dateOf(date), 'ar')).to.equal(ar);
      expect(spokenDate(dateOf(date), 'en')).to.equal(en);
    });
  }

  for (const [date, ar, en] of [
    [
      '1447-09-01',
      'الأول من رمضان، عام ألف وأربعمئة وسبعة وأربعين للهجرة',
      'the first of Ramadan, fourteen forty-seven',
    ],
    [
      '1448-12-10',
      'العاشر من ذي الحجة، عام ألف وأربعمئة وثمانية وأربعين للهجرة',
      'the tenth of Dhu al-Hijjah, fourteen forty-eight',
    ],
  ] as const) {
    it(`say the Hijri date ${date}`, () => {
      expect(spokenHijriDate(dateOf(date), 'ar')).to.equal(ar);
      expect(spokenHijriDate(dateOf(date), 'en')).to.equal(en);
    });
  }

  for (const [text, ascii] of [
    ['٠١٢٣٤٥٦٧٨٩', '0123456789'],
    ['۰۱۲۳۴۵۶۷۸۹', '0123456789'],
    ['١٬٢٣٤٫٥٦', '1,234.56'],
    ['+٩٦٦ 5٠', '+966 50'],
    ['بلا أرقام', 'بلا أرقام'],
  ] as const) {
    it(`convert the digits of ${text}`, () => expect(asciiDigits(text)).to.equal(ascii));
  }

  for (const [text, ar, en] of [
    ['407', 'أربعة، صفر، سبعة', 'four, zero, seven'],
    ['٤٠٧', 'أربعة، صفر، سبعة', 'four, zero, seven'],
    ['123-456', 'واحد، اثنان، ثلاثة. أربعة، خمسة، ستة', 'one, two, three. four, five, six'],
    ['+1*#', 'زائد، واحد، نجمة، مربع', 'plus, one, star, hash'],
    ['a8!', 'A، ثمانية', 'A, eight'],
    ['', '', ''],
  ] as const) {
    it(`say "${text}" digit by digit`, () => {
      expect(spokenDigits(text, 'ar')).to.equal(ar);
      expect(spokenDigits(text, 'en')).to.equal(en);
    });
  }

  for (const [position, expectedWaitMs, ar, en] of [
    [1, null, 'ترتيبك في قائمة الانتظار هو الأول.', 'You are number one in the queue.'],
    [
      3,
      61_000,
      'ترتيبك في قائمة الانتظار هو الثالث. مدة الانتظار المتوقعة نحو دقيقتين.',
      'You are number three in the queue. The expected wait is about two minutes.',
    ],
    [
      12,
      0,
      'ترتيبك في قائمة الانتظار هو الثاني عشر. مدة الانتظار المتوقعة نحو دقيقة واحدة.',
      'You are number twelve in the queue. The expected wait is about one minute.',
    ],
  ] as const) {
    it(`announce position ${position} to a caller`, () =>
      expect(positionAnnouncement({ position, expectedWaitMs })).to.deep.equal({ ar, en }));
  }

  it('are complete, and differ for different numbers', () => {
    const number = fc.integer({ min: 0, max: 999_999_999_999 });
    fc.assert(
      fc.property(number, number, fc.constantFrom('ar' as const, 'en' as const), (a, b, language) => {
        const [words, other] = [spokenNumber(a, language), spokenNumber(b, language)];
        expect(words).to.match(
          language === 'ar' ? /^[\u0621-\u0652]+(?: [\u0621-\u0652]+)*$/ : /^[a-z-]+(?: [a-z-]+)*$/,
        );
        expect(words === other).to.equal(a === b);
        expect(spokenCount(a, 'riyal', 'ar')).to.match(/ريال/);
      }),
      { numRuns: 2000 },
    );
  });
});
