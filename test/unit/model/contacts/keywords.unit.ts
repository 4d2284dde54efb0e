import { expect } from 'chai';
import { consentKeyword } from '../../../../core/model/contacts/keywords.js';

describe('a keyword of consent', () => {
  for (const [message, keyword] of [
    ['STOP', 'stop'],
    [' Stop. ', 'stop'],
    ['"unsubscribe"!', 'stop'],
    ['Stop all', 'stop'],
    ['إلغاء', 'stop'],
    ['الغاء', 'stop'],
    ['إلغـــاء الاشتراك', 'stop'],
    ['ايقاف', 'stop'],
    ['إِيقَاف', 'stop'],
    ['لا ترسلوا', 'stop'],
    ['🛑 stop', 'stop'],
    ['START', 'start'],
    ['unstop', 'start'],
    ['إشتراك', 'start'],
    ['ابدأ', 'start'],
    ['تفعيل الإشتراك', 'start'],
    ['please do not stop', null],
    ['لا توقفوا الخدمة', null],
    ['stop by tomorrow', null],
    ['الغاء الموعد', null],
    ['', null],
    ['👍', null],
    [`stop${' '.repeat(100)}`, null],
  ] as const) {
    it(`is ${String(keyword)} in «${message.slice(0, 30)}»`, () => {
      expect(consentKeyword(message)).to.equal(keyword);
    });
  }
});
