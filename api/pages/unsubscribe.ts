import { bilingualPage } from './bilingual.js';
import { html } from './html.js';

const TITLES = { ar: 'إلغاء الاشتراك', en: 'Unsubscribe' };
const TEXTS = {
  ar: {
    question: 'هل تريد التوقف عن استقبال الرسائل الترويجية والتوعوية من هذا المُرسِل على هذا البريد؟',
    button: 'إلغاء الاشتراك',
    done: 'أُلغي اشتراكك، ولن يصلك من هذا المُرسِل إلا رسائل الخدمة التي تنتظرها، مثل الرموز والطلبات.',
  },
  en: {
    question: 'Do you want to stop receiving promotional and awareness messages from this sender at this address?',
    button: 'Unsubscribe',
    done: 'You are unsubscribed. This sender will only send you messages that you are waiting for, such as codes and orders.',
  },
} as const;

/**
 * The page of the link by which people unsubscribe.
 * @param address as it is shown
 */
export function unsubscribePage(address: string, isDone: boolean): string {
  return bilingualPage({
    titles: TITLES,
    text: (language) => {
      const { question, button, done } = TEXTS[language];
      const form = html`<form method="post">
        <input type="hidden" name="List-Unsubscribe" value="One-Click" />
        <button>${button}</button>
      </form>`;
      return html`<p><bdi dir="ltr">${address}</bdi></p>
        <p>${isDone ? done : question}</p>
        ${isDone ? html`` : form}`;
    },
    isStyled: true,
  });
}
