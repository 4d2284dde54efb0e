/**
 * Arabic is written without short vowels, and espeak-ng reads only what is written: `ثلاثة` becomes "thlatht". This adds
 * vowels to the words of numbers, amounts, dates and times; better voices need no help.
 */
const WORDS = `
صِفْر واحِد واحِدَة اِثْنان اِثْنَيْن اِثْنَتان اِثْنَتَيْن ثَلاثَة ثَلاث أَرْبَعَة أَرْبَع خَمْسَة خَمْس سِتَّة سِتّ سَبْعَة سَبْع ثَمانِيَة ثَماني ثَمان
تِسْعَة تِسْع عَشَرَة عَشَر أَحَد إِحْدى اِثْنا اِثْنَتا اِثْنَيْ اِثْنَتَيْ
عِشْرون عِشْرين ثَلاثون ثَلاثين أَرْبَعون أَرْبَعين خَمْسون خَمْسين سِتّون سِتّين سَبْعون سَبْعين ثَمانون ثَمانين تِسْعون تِسْعين
مِئَة مِئَتان مِئَتَيْن مِئَتا مِئَتَيْ ثَلاثُمِئَة أَرْبَعُمِئَة خَمْسُمِئَة سِتُّمِئَة سَبْعُمِئَة ثَمانِمِئَة تِسْعُمِئَة
أَلْف أَلْفًا أَلْفان أَلْفَيْن أَلْفا أَلْفَيْ آلاف مِلْيون مِلْيونًا مِلْيونان مِلْيونَيْن مِلْيونا مِلْيونَيْ مَلايين
مِلْيار مِلْيارًا مِلْياران مِلْيارَيْن مِلْيارا مِلْيارَيْ مِلْيارات تِريلْيون تِريلْيونًا تِريلْيونان تِريلْيونَيْن تِريلْيونا تِريلْيونَيْ تِريلْيونات
سالِب فاصِلَة زائِد نَجْمَة مُرَبَّع نُقْطَة بَعْد مِن عام لِلهِجْرَة
أَوَّل أُولى ثاني ثالِث رابِع خامِس سادِس سابِع ثامِن تاسِع عاشِر حادي
ثالِثَة رابِعَة خامِسَة سادِسَة سابِعَة ثامِنَة تاسِعَة عاشِرَة حادِيَة
ثانِيَة ثانِيَتان ثانِيَتَيْن ثَوانٍ دَقيقَة دَقيقَتان دَقيقَتَيْن دَقائِق ساعَة ساعَتان ساعَتَيْن ساعات
يَوْم يَوْمًا يَوْمان يَوْمَيْن أَيّام أُسْبوع أُسْبوعًا أُسْبوعان أُسْبوعَيْن أَسابيع شَهْر شَهْرًا شَهْران شَهْرَيْن أَشْهُر سَنَة سَنَتان سَنَتَيْن سَنَوات
رِيال رِيالًا رِيالان رِيالَيْن رِيالات هَلَلَة هَلَلَتان هَلَلَتَيْن هَلَلات
رِسالَة رِسالَتان رِسالَتَيْن رَسائِل جَديدَة جَديدَتان جَديدَتَيْن مَحْفوظَة مَحْفوظَتان مَحْفوظَتَيْن
مُكالَمَة مُكالَمَتان مُكالَمَتَيْن مُكالَمات مُتَّصِل مُتَّصِلًا مُتَّصِلان مُتَّصِلَيْن مُتَّصِلين مُحاوَلَة مُحاوَلَتان مُحاوَلَتَيْن مُحاوَلات
شَخْص شَخْصًا شَخْصان شَخْصَيْن أَشْخاص
نِصْف رُبْع صَباحًا ظُهْرًا مَساءً
أَحَد اِثْنَيْن ثُلاثاء أَرْبِعاء خَميس جُمُعَة سَبْت
يَنايِر فِبْرايِر مارِس أَبْريل مايو يونْيو يولْيو أَغُسْطُس سِبْتَمْبِر أُكْتوبَر نوفَمْبِر ديسَمْبِر
مُحَرَّم صَفَر رَبيع آخِر جُمادى آخِرَة رَجَب شَعْبان رَمَضان شَوّال ذي قَعْدَة حِجَّة`;

const MARKS = /[\u064b-\u0652]/g;
const TOKEN = /[\u0621-\u0652]+/g;
/** Letters that assimilate the ل of the article and are doubled instead. */
const SUN = 'تثدذرزسشصضطظلن';
const SHADDA = '\u0651';

const vowels = new Map<string, string>();
for (const word of WORDS.split(/\s+/)) {
  const plain = word.replace(MARKS, '');
  // Of two words with the same letters, the first is more frequent.
  if (word !== '' && !vowels.has(plain)) vowels.set(plain, word);
  // Forms in which only the tanwin is written.
  if (/[\u064b-\u064d]/.test(word)) vowels.set(word.replace(/[\u064e-\u0652]/g, ''), word);
}

/** Adds the vowels of known words, and writes ة as pronounced before a pause. */
export function withVowels(text: string): string {
  return text.replace(TOKEN, (token) => vowelled(token) ?? token).replace(/ة(?=\s*(?:$|[.,،;؛:؟!?\n]))/g, 'ه');
}

function vowelled(token: string): string | null {
  const known = vowels.get(token);
  if (known !== undefined) return known;
  if (token.startsWith('و')) return prefixed('وَ', token.slice(1));
  return token.startsWith('ال') ? definite(token.slice(2)) : null;
}

function prefixed(prefix: string, rest: string): string | null {
  const known = rest === '' ? null : vowelled(rest);
  return known && prefix + known;
}

function definite(rest: string): string | null {
  const known = vowels.get(rest);
  if (known === undefined) return null;
  const [first = ''] = known;
  return SUN.includes(first) ? `ال${first}${SHADDA}${known.slice(1)}` : `ال${known}`;
}
