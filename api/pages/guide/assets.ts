import { normalizeWord, SEARCH_FIELDS } from './search.js';

/** Loaded by the pages of the guide after the common style. */
export const GUIDE_STYLE = `
body:has(.guide) .bar { padding-inline: max(1.25rem, calc((100vw - 1360px) / 2 + 1.25rem)); }
.page:has(> .guide) { max-width: 1360px; }
.guide { display: grid; gap: 1.25rem 2.5rem; grid-template-columns: minmax(0, 1fr); grid-template-areas: 'search' 'text' 'side'; }
.search { grid-area: search; position: relative; }
.search label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.search input { width: 100%; max-width: 46rem; font: inherit; padding: 0.6rem 0.9rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: inherit; }
.search input:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#found { position: absolute; z-index: 2; inset-inline: 0; max-width: 46rem; max-height: 70vh; overflow-y: auto; margin-top: 0.35rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: 0 8px 28px rgb(27 36 48 / 14%); }
#found p { margin: 0; padding: 0.8rem 1rem; color: var(--soft); }
#found a { display: block; padding: 0.55rem 1rem; border-bottom: 1px solid var(--line); text-decoration: none; unicode-bidi: plaintext; }
#found a:hover, #found a:focus { background: var(--accent-soft); outline: none; }
#found small { display: block; color: var(--soft); }
.search .all { display: inline-block; margin-top: 0.5rem; font-size: 0.95rem; }
.guide .text { grid-area: text; min-width: 0; }
.shelves { grid-area: side; border-top: 1px solid var(--line); padding-top: 1rem; }
.shelves summary { cursor: pointer; font-weight: 600; padding: 0.35rem 0; }
.shelves ul { list-style: none; margin: 0 0 0.6rem; padding: 0; }
.shelves li a { display: block; padding: 0.28rem 0.75rem; border-inline-start: 2px solid var(--line); color: var(--soft); text-decoration: none; line-height: 1.4; }
.shelves li a:hover { color: var(--ink); }
.shelves li a[aria-current] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.outline { margin: 0 0 1.25rem; padding: 0.6rem 0.9rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; font-size: 0.9rem; line-height: 1.4; }
.outline ul { list-style: none; margin: 0; padding: 0; }
.outline li { padding: 0.2rem 0; }
.outline a { text-decoration: none; }
.doc { position: relative; max-width: 48rem; overflow-wrap: break-word; }
[dir='ltr'] .doc :is(h1, h2, h3, h4, p, li, td, th) { unicode-bidi: plaintext; }
.doc h1 { margin-bottom: 1rem; }
.doc h2 { font-size: 1.35rem; margin: 2.4rem 0 0.6rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
.doc h3 { font-size: 1.08rem; margin: 1.8rem 0 0.4rem; }
.doc :is(h1, h2, h3, h4) { scroll-margin-top: 1rem; }
.doc .anchor { visibility: hidden; color: var(--soft); font-weight: 400; text-decoration: none; }
.doc :is(h1, h2, h3, h4):hover .anchor { visibility: visible; }
.doc > :is(p, ul, ol), .doc blockquote > p { margin: 0 0 1rem; }
.doc > :is(ul, ol), .doc li > :is(ul, ol) { padding-inline-start: 1.4rem; }
.doc li > p { margin: 0 0 0.5rem; }
.doc li { margin: 0.25rem 0; }
.doc li > ul { margin-bottom: 0.3rem; }
.doc pre { margin: 0 0 1.2rem; font: 0.84rem/1.55 var(--mono); background: var(--console); color: #e6edf3; border-radius: 8px; padding: 0.9rem 1.1rem; overflow-x: auto; text-align: left; }
.doc pre code { background: none; padding: 0; font-size: inherit; overflow-wrap: normal; }
.doc blockquote { margin: 0 0 1.2rem; padding: 0.6rem 1rem; background: var(--note); border-inline-start: 3px solid #d79a1e; border-radius: 4px; }
.doc blockquote p { margin: 0; }
.doc .scroll { overflow-x: auto; margin: 0 0 1.4rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.doc table { border-collapse: collapse; width: 100%; font-size: 0.94rem; line-height: 1.5; }
.doc th, .doc td { text-align: start; vertical-align: top; padding: 0.5rem 0.8rem; border-top: 1px solid var(--line); min-width: 7rem; }
.doc :is(td, th) code { overflow-wrap: break-word; }
.doc thead th { border-top: 0; background: var(--head); color: var(--soft); font-weight: 600; }
.doc thead:not(:has(th:not(:empty))) { display: none; }
.doc tbody tr:first-child td { border-top: 0; }
.doc thead:has(th:not(:empty)) + tbody tr:first-child td { border-top: 1px solid var(--line); }
@media (min-width: 900px) {
  .guide { grid-template-columns: 16rem minmax(0, 1fr); grid-template-areas: 'side search' 'side text'; }
  .search .all { display: none; }
  .shelves { border: 0; padding: 0; align-self: start; position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: 0.95rem; }
}
@media (min-width: 1280px) {
  .guide .text { padding-inline-end: 15rem; }
  .outline { position: absolute; inset-inline-start: calc(100% + 2rem); top: 0.3rem; width: 13rem; }
}
@media (max-width: 640px) {
  .page:has(> .guide) { padding-inline: 1rem; padding-top: 1rem; }
  .doc th, .doc td { min-width: 6rem; padding: 0.45rem 0.6rem; }
}
@media print { .bar, .search, .shelves, .outline { display: none; } }
`;

/** Searches in the page: the index is fetched when the field is first used. */
export const GUIDE_SCRIPT = `const normalizeWord = ${normalizeWord.toString()};
const field = document.getElementById('search');
const found = document.getElementById('found');
const isArabic = document.documentElement.lang === 'ar';
let index;
const load = () =>
  (index ??= fetch('/docs/guide/search.json')
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(String(answer.status)))))
    .then((json) => MiniSearch.loadJSON(json, { ...${JSON.stringify(SEARCH_FIELDS)}, processTerm: normalizeWord }))
    .catch((error) => { index = undefined; throw error; }));
const hide = () => { found.hidden = true; found.replaceChildren(); };
const show = (items) => { found.replaceChildren(...items); found.hidden = false; };
const line = (text) => Object.assign(document.createElement('p'), { textContent: text });
const result = ({ id, heading, page }) => {
  const link = Object.assign(document.createElement('a'), { href: id, textContent: heading });
  link.append(Object.assign(document.createElement('small'), { textContent: page }));
  return link;
};
async function search() {
  const query = field.value.trim();
  if (query.length < 2) return hide();
  try {
    const search = await load();
    if (query !== field.value.trim()) return;
    const options = { prefix: true, fuzzy: (word) => (word.length > 4 ? 0.2 : false), boost: { heading: 4, page: 2 }, boostDocument: (id) => (/\\/(adr|changelog)/.test(id) ? 0.4 : 1) };
    let results = search.search(query, { ...options, combineWith: 'AND' });
    if (results.length === 0) results = search.search(query, options);
    show(results.length === 0 ? [line(isArabic ? 'لا نتائج' : 'No results')] : results.slice(0, 12).map(result));
  } catch {
    show([line(isArabic ? 'تعذّر البحث' : 'The search could not be loaded')]);
  }
}
field.disabled = false;
field.placeholder = isArabic ? 'ابحث في الدليل' : 'Search the guide';
field.addEventListener('focus', () => void load().catch(() => undefined), { once: true });
field.addEventListener('input', () => void search());
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); field.focus(); }
  if (event.key === 'Escape') hide();
  if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || found.hidden) return;
  const links = [...found.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  if (at >= links.length) return;
  event.preventDefault();
  (links[at] ?? field).focus();
});
document.addEventListener('click', (event) => { if (!event.target.closest('.search')) hide(); });
`;
