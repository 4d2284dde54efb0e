export { spokenDuration, spokenMoney } from './amounts.js';
export { spokenCount } from './count.js';
export { spokenDate, spokenDay, spokenHijriDate, spokenTime } from './date-time.js';
export { asciiDigits, spokenDigits } from './digits.js';
export type { GrammaticalCase, SpokenLanguage } from './language.js';
export { spokenNumber, spokenOrdinal } from './number.js';
