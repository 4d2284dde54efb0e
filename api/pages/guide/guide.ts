import { posix } from 'node:path';
import { html, Html } from '../html.js';
import { layout } from '../layout.js';
import { parseDocument, renderDocument, type LinkResolver, type ParsedDocument } from './markdown.js';
import { navigation, type Shelf } from './navigation.js';
import { buildSearchIndex, type SearchEntry } from './search.js';

/** A file of the project: a document if it ends in `.md`, otherwise served as plain text. */
export interface GuideFile {
  /** From the project folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The whole site as text, made once by the build. */
export interface Guide {
  /** Markup of each page by its address, such as `/docs/guide/reference/calls`. */
  readonly pages: Readonly<Record<string, string>>;
  /** Plain text by its address, such as `/docs/guide/files/.env.example`. */
  readonly files: Readonly<Record<string, string>>;
  /** JSON for the search in the browser. */
  readonly searchIndex: string;
  /** The page for an address that does not exist. */
  readonly notFound: string;
}

export const GUIDE_ROOT = '/docs/guide';
const STYLES = [`${GUIDE_ROOT}/assets/guide.css`];
const SCRIPTS = [`${GUIDE_ROOT}/assets/minisearch.js`, `${GUIDE_ROOT}/assets/guide.js`];

/** In the order of the menu. A document's folder decides its shelf. */
const SHELVES = [
  { folder: 'docs/tutorials/', title: 'Tutorials' },
  { folder: 'docs/how-to/', title: 'How-to guides' },
  { folder: 'docs/reference/', title: 'Reference' },
  { folder: 'docs/explanation/', title: 'Explanation' },
  { folder: 'docs/adr/', title: 'Decisions' },
  { folder: '', title: 'Project' },
] as const;

interface Entry extends ParsedDocument {
  readonly path: string;
  readonly address: string;
  readonly shelf: string;
}

/**
 * Makes the pages of the guide. Links between documents become links between pages; links to files that the guide
 * does not hold become plain text.
 */
export function buildGuide(files: readonly GuideFile[]): Guide {
  const entries = files.filter(({ path }) => path.endsWith('.md')).map(entryOf);
  const plain = new Map(
    files.filter(({ path }) => !path.endsWith('.md')).map(({ path, text }) => [`${GUIDE_ROOT}/files/${path}`, text]),
  );
  const addresses = new Map([
    ...entries.map(({ path, address }) => [path, address] as const),
    ...[...plain.keys()].map((address) => [address.slice(`${GUIDE_ROOT}/files/`.length), address] as const),
  ]);
  const shelves = shelvesOf(entries);
  const pages = entries.map(
    (entry) => [entry.address, pageOf(entry, shelves, resolver(entry.path, addresses))] as const,
  );
  return {
    pages: Object.fromEntries(pages),
    files: Object.fromEntries(plain),
    searchIndex: buildSearchIndex(entries.flatMap(searchEntriesOf)),
    notFound: notFoundPage(shelves),
  };
}

/** `docs/reference/calls.md` → `/docs/guide/reference/calls`; a folder's `README.md` is the page of the folder. */
export function addressOf(path: string): string {
  const name = path.replace(/\.md$/, '');
  const below = name.startsWith('docs/') ? name.slice('docs/'.length) : name.toLowerCase();
  const page = name === 'README' ? below : below.replace(/(^|\/)README$/, '');
  return page === '' ? GUIDE_ROOT : `${GUIDE_ROOT}/${page}`;
}

function entryOf({ path, text }: GuideFile): Entry {
  const parsed = parseDocument(text);
  const shelf = SHELVES.find(({ folder }) => path.startsWith(folder)) ?? SHELVES[SHELVES.length - 1];
  const isIndex = path === 'docs/README.md';
  return { ...parsed, path, address: addressOf(path), shelf: isIndex ? '' : (shelf?.title ?? '') };
}

function shelvesOf(entries: readonly Entry[]): Shelf[] {
  return SHELVES.map(({ title, folder }) => ({
    title,
    links: entries
      .filter(({ shelf, path }) => shelf === title && (folder !== 'docs/adr/' || path === 'docs/adr/README.md'))
      .map(({ title: text, address, language }) => ({ text, address, language }))
      .sort((a, b) => a.text.localeCompare(b.text, 'en')),
  })).filter(({ links }) => links.length > 0);
}

/** @param addresses the address of every file of the guide, by path */
export function resolver(from: string, addresses: ReadonlyMap<string, string>): LinkResolver {
  return (href) => {
    if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
    const [target = '', anchor] = href.split('#', 2);
    const path = posix.normalize(posix.join(posix.dirname(from), target)).replace(/\/$/, '');
    const address = addresses.get(path) ?? addresses.get(`${path}/README.md`);
    if (address === undefined) return null;
    return anchor === undefined ? address : `${address}#${anchor}`;
  };
}

function pageOf(entry: Entry, shelves: readonly Shelf[], resolve: LinkResolver): string {
  const outline = entry.sections.filter(({ depth }) => depth === 2);
  const contents =
    outline.length < 3
      ? html``
      : html`<nav class="outline" aria-label="${entry.language === 'ar' ? 'في هذه الصفحة' : 'On this page'}">
          <ul>
            ${outline.map(({ text, anchor }) => html`<li><a href="#${anchor}">${text}</a></li>`)}
          </ul>
        </nav>`;
  return framed({
    title: entry.title,
    language: entry.language,
    side: navigation(shelves, entry.address),
    body: html`<article class="doc">
      ${new Html(renderDocument(entry, resolve).replace('</h1>', () => `</h1>${contents.markup}`))}
    </article>`,
  });
}

function notFoundPage(shelves: readonly Shelf[]): string {
  return framed({
    title: 'No such page',
    language: 'en',
    side: navigation(shelves, ''),
    body: html`<article class="doc">
      <h1>No such page</h1>
      <p>The guide has no page at this address. Search for it, or go to the <a href="${GUIDE_ROOT}">start</a>.</p>
    </article>`,
  });
}

interface Frame {
  readonly title: string;
  readonly language: 'ar' | 'en';
  readonly side: Html;
  readonly body: Html;
}

function framed({ title, language, side, body }: Frame): string {
  return layout({
    title,
    section: 'guide',
    language,
    styles: STYLES,
    scripts: SCRIPTS,
    body: html`<div class="guide">
      <search class="search">
        <label for="search">${language === 'ar' ? 'البحث في الدليل' : 'Search the guide'}</label>
        <input id="search" type="search" autocomplete="off" aria-controls="found" disabled />
        <div id="found" aria-live="polite" hidden></div>
        <a class="all" href="#contents">${language === 'ar' ? 'كل الصفحات' : 'All pages'}</a>
      </search>
      <div class="text">${body}</div>
      ${side}
    </div>`,
  });
}

function searchEntriesOf({ address, title, shelf, sections }: Entry): SearchEntry[] {
  return sections.map(({ text, anchor, body }, index) => ({
    id: index === 0 ? address : `${address}#${anchor}`,
    heading: text,
    page: index === 0 ? shelf : title,
    body,
  }));
}
