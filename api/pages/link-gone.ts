import { bilingualPage } from './bilingual.js';
import { html } from './html.js';

const TITLES = { ar: 'الرابط غير موجود', en: 'No such link' };
const TEXTS = {
  ar: 'هذا الرابط غير موجود، أو لم يعد صالحًا.',
  en: 'This link does not exist, or does not work any more.',
};

/** The page of a short address that leads nowhere. The host of such addresses may serve no other files. */
export function linkGonePage(): string {
  return bilingualPage({ titles: TITLES, text: (language) => html`<p>${TEXTS[language]}</p>`, isStyled: false });
}
