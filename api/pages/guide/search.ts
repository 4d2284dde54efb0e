import MiniSearch, { type Options } from 'minisearch';

export interface SearchEntry {
  /** The address that a result leads to. */
  readonly id: string;
  readonly heading: string;
  /** The title of the page that the heading is on. */
  readonly page: string;
  readonly body: string;
}

/**
 * The form in which words are compared: lower case, without vowel marks and tatweel, with one form of alef, yeh and
 * teh marbuta. Stop words become empty, and MiniSearch leaves them out. The browser runs this source text, so the
 * function must not use anything outside itself.
 */
export function normalizeWord(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0640]/g, '')
    .replace(/ى/g, 'ي')
    .replace(/ة/g, 'ه')
    .replace(/^(?:.|an|and|are|at|by|for|from|in|is|it|of|on|or|that|the|this|to|with)$/, '');
}

/** Shared by the index and the browser, which loads the index with the same options. */
export const SEARCH_FIELDS = { fields: ['heading', 'page', 'body'], storeFields: ['heading', 'page'] };

const OPTIONS: Options<SearchEntry> = { ...SEARCH_FIELDS, processTerm: normalizeWord };

/** @returns the index as JSON, for `MiniSearch.loadJSON` */
export function buildSearchIndex(entries: readonly SearchEntry[]): string {
  const index = new MiniSearch<SearchEntry>(OPTIONS);
  index.addAll(entries);
  return JSON.stringify(index);
}
