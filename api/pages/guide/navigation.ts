import { html, type Html } from '../html.js';

/** Documents of one kind. */
export interface Shelf {
  readonly title: string;
  readonly links: readonly { readonly text: string; readonly address: string; readonly language: 'ar' | 'en' }[];
}

/** The menu of all documents. The shelf of the current page is open. */
export function navigation(shelves: readonly Shelf[], current: string): Html {
  const groups = shelves.map(({ title, links }) => {
    const isOpen = links.some(({ address }) => address === current);
    const items = links.map(({ text, address, language }) => {
      const mark = address === current ? html`aria-current="page"` : html``;
      return html`<li><a href="${address}" lang="${language}" ${mark}>${text}</a></li>`;
    });
    return html`<details ${isOpen ? html`open` : html``}>
      <summary>${title}</summary>
      <ul>
        ${items}
      </ul>
    </details>`;
  });
  return html`<nav class="shelves" id="contents" aria-label="Guide" lang="en" dir="ltr">${groups}</nav>`;
}
