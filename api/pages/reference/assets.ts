import { normalizeWord } from '../guide/search.js';

/** Loaded by the reference after the styles of Swagger UI, which has a dark mode of its own. */
export const REFERENCE_STYLE = `
.find { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; align-items: baseline; position: sticky; top: 0; z-index: 3; margin: 1.5rem 0 0; padding: 0.6rem 0; background: var(--ground); }
.find label { font-weight: 600; }
.find input { flex: 1 1 20rem; min-width: 0; font: inherit; padding: 0.55rem 0.9rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: inherit; }
.find input:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.find output { flex-basis: 100%; color: var(--soft); font-size: 0.95rem; }
html.dark-mode, html.dark-mode .swagger-ui { background: var(--ground); }
.swagger-ui, .swagger-ui :is(p, h2, h3, h4, h5, label, table, td, th, a, button, input, select, small, .opblock-tag, .opblock-summary-description, .opblock-summary-method, .tab li) { font-family: var(--sans) !important; }
.swagger-ui :is(code, pre, textarea, .opblock-summary-path, .parameter__name, .parameter__type) { font-family: var(--mono) !important; }
.swagger-ui .wrapper { padding: 0; }
.swagger-ui .info { margin: 1rem 0; }
.swagger-ui .info hgroup.main { display: none; }
.swagger-ui .info :is(p, li) { font-size: 1rem; color: var(--ink); }
html.dark-mode .swagger-ui :is(.markdown, .renderedMarkdown) code { background: var(--code); color: var(--ink); }
.swagger-ui :is(.highlight-code, .microlight, .curl-command) code { background: none; padding: 0; }
.swagger-ui .opblock-tag { scroll-margin-top: 5rem; }
.swagger-ui .opblock { scroll-margin-top: 5rem; }
.swagger-ui :is(.parameter__in, .parameter__extension, .parameter__deprecated, .response-col_links, .response-control-media-type__accept-message) { color: var(--soft); }
.swagger-ui .markdown p { unicode-bidi: plaintext; }
.swagger-ui :is(.markdown, .renderedMarkdown) code { background: var(--code); color: var(--ink); font-weight: 400; }
.swagger-ui .scheme-container { margin: 0; padding: 0.75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: none; }
.swagger-ui .opblock-tag { flex-wrap: wrap; gap: 0.2rem 1rem; color: var(--ink); border-color: var(--line); }
.swagger-ui .opblock-tag small { flex: 1 1 16rem; padding: 0; color: var(--soft); }
.swagger-ui .opblock-tag small p { margin: 0; padding: 0; font-size: 0.9rem; color: var(--soft); }
.swagger-ui .opblock .opblock-summary-description { color: var(--ink); font-size: 0.9rem; text-align: start; }
.swagger-ui .opblock .opblock-summary-operation-id { display: none; }
.swagger-ui .opblock .opblock-section-header { background: var(--card); }
.swagger-ui .responses-table .response-col_status { min-width: 4rem; }
.swagger-ui :is(.opblock-description-wrapper, .opblock-external-docs-wrapper, .opblock-title_normal) p { color: var(--ink); }
.swagger-ui .parameter__name.required::after { color: var(--bad); }
.swagger-ui .parameter__name.required span { color: var(--bad); }
.swagger-ui .opblock .opblock-summary-path { max-width: none; }
.swagger-ui .opblock .opblock-summary-method { text-shadow: none; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fa6; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #17704a; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5200; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f6b63; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
.swagger-ui .btn.authorize { color: var(--accent); border-color: var(--accent); }
.swagger-ui .btn.authorize svg { fill: var(--accent); }
.swagger-ui .btn.execute { background: #1f5fa6; border-color: #1f5fa6; color: #fff; }
.swagger-ui .btn.cancel { color: var(--bad); border-color: var(--bad); }
.swagger-ui a.nostyle { text-decoration: none; }
@media (max-width: 640px) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock-summary-control { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { font-size: 0.85rem; }
  .swagger-ui .opblock-body { overflow-x: auto; }
  .swagger-ui .scheme-container .schemes { gap: 0.5rem; }
  .swagger-ui .parameters-col_description :is(input, select, textarea) { max-width: 100%; }
}
`;

/**
 * Starts Swagger UI with the API document of this server. Both languages are shown, requests go to the address of the
 * page, and the search finds operations by everything that a developer may know of them. `validatorUrl: null`: no
 * requests to other hosts.
 */
export const REFERENCE_SCRIPT = `const normalizeWord = ${normalizeWord.toString()};
const wordsOf = (text) => text.split(/\\s+/).map(normalizeWord).filter((word) => word !== '');
const field = document.getElementById('find');
const found = document.getElementById('found');
const TYPING_MS = 150;

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

/** Arabic in a direction isolate: it stays beside the English text. */
const both = (english, arabic, between) => (arabic ? english + between + '\\u2067' + arabic + '\\u2069' : english);

const KEY_HINT = [
  'On the machine of the platform, \`.hatif/bootstrap.json\` has a key of each kind. For a first try take \`sandbox_key\`: it rings nobody and costs nothing.',
  'على جهاز المنصة يحوي \`.hatif/bootstrap.json\` مفتاحًا من كل نوع. ابدأ بالمفتاح \`sandbox_key\`، فهو لا يتصل بأحد ولا يكلّف شيئًا.',
];

/** By operation ID: the words by which the search finds an operation. */
const texts = new Map();

function prepared(document) {
  document.servers = [{ url: location.origin }];
  // /docs/events shows them.
  delete document.webhooks;
  const { apiKey } = document.components.securitySchemes;
  apiKey.description = [...KEY_HINT, apiKey.description].join('\\n\\n');
  const tags = new Map(document.tags.map((tag) => [tag.name, tag]));
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId, summary, 'x-summary-ar': arabic, responses } = operation;
      const tag = tags.get(operation.tags[0]);
      const codes = Object.values(responses).flatMap((response) =>
        Object.values(response.content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {})),
      );
      const known = [method, path, operationId, summary, arabic ?? '', tag.name, ...codes];
      texts.set(operationId, wordsOf(known.join(' ')).join(' '));
      operation.summary = both(summary, arabic, ' · ');
    }
  }
  for (const tag of tags.values()) tag.description = both(tag.description ?? '', tag['x-description-ar'], '\\n\\n');
  return document;
}

const matches = (operationId, words) => words.every((word) => texts.get(operationId)?.includes(word));

/** In place of the search of Swagger UI, which knows tags and paths only. */
function opsFilter(tagged, phrase) {
  const words = wordsOf(phrase);
  return tagged
    .map((tag) =>
      tag.update('operations', (operations) =>
        operations.filter((each) => matches(each.getIn(['operation', 'operationId']), words)),
      ),
    )
    .filter((tag) => tag.get('operations').size > 0);
}

/**
 * Swagger UI without what this page has itself: the main element, the search, the choice of a server. The list contains
 * every operation, so that the browser finds text in it; that of Swagger UI leaves out what is outside the window. A
 * link within the button of an operation would confuse screen readers; the address changes as well when the button is
 * pressed.
 */
const parts = ({ React: { createElement } }) => ({
  fn: { opsFilter },
  components: {
    Reference: ({ getComponent }) =>
      createElement(
        'div',
        { className: 'swagger-ui' },
        createElement(getComponent('SvgAssets')),
        createElement(getComponent('errors', true)),
        createElement(getComponent('InfoContainer', true)),
        createElement('div', { className: 'scheme-container' }, createElement(getComponent('AuthorizeBtnContainer', true))),
        createElement(getComponent('operations', true)),
        createElement(getComponent('Models', true)),
      ),
    operations: ({ specSelectors, oas3Selectors, layoutSelectors, layoutActions, getConfigs, getComponent }) => {
      const given = { oas3Selectors, layoutSelectors, layoutActions, getConfigs, getComponent, specUrl: specSelectors.url() };
      const operation = (tag) => (op) => {
        const [path, method, specPath] = ['path', 'method', 'specPath'].map((name) => op.get(name));
        return createElement(getComponent('OperationContainer', true), { key: method + path, specPath, op, path, method, tag });
      };
      const group = (tagObj, tag) =>
        createElement(getComponent('OperationTag'), { key: tag, tagObj, tag, ...given }, tagObj.get('operations').map(operation(tag)).toArray());
      return createElement('div', null, specSelectors.taggedOperations().map(group).valueSeq().toArray());
    },
    DeepLink: ({ text }) => createElement('span', null, text),
  },
});

/** Names the fields that Swagger UI leaves without a label. */
function label(element) {
  for (const field of element.querySelectorAll('select:not([aria-label]), textarea:not([aria-label])')) {
    if (field.labels.length > 0) continue;
    const parameter = field.closest('[data-param-name]')?.dataset.paramName;
    field.setAttribute('aria-label', parameter ?? (field.matches('textarea') ? 'Request body' : 'Choice'));
  }
}

function report(phrase) {
  const words = wordsOf(phrase);
  const count = [...texts.keys()].filter((operationId) => matches(operationId, words)).length;
  found.replaceChildren(count + ' of ' + texts.size + ' operations · \\u2067العمليات: ' + count + ' من ' + texts.size + '\\u2069');
  if (!/^[a-z]+(_[a-z]+)+$/i.test(phrase)) return;
  const code = phrase.toUpperCase();
  const link = Object.assign(window.document.createElement('a'), { href: '/docs/errors/' + code, textContent: code });
  found.append(' · ', link);
}

function search(ui) {
  const phrase = field.value.trim();
  ui.layoutActions.updateFilter(phrase);
  if (phrase === '') found.replaceChildren();
  else report(phrase);
  const address = new URL(location.href);
  if (phrase === '') address.searchParams.delete('find');
  else address.searchParams.set('find', phrase);
  history.replaceState(history.state, '', address);
}

async function start() {
  const answer = await fetch('/v1/openapi.json');
  if (!answer.ok) throw new Error(String(answer.status));
  const phrase = new URL(location.href).searchParams.get('find') ?? '';
  field.value = phrase;
  const ui = SwaggerUIBundle({
    spec: prepared(await answer.json()),
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    filter: phrase === '' ? true : phrase,
    plugins: [parts],
    layout: 'Reference',
  });
  const root = window.document.getElementById('reference');
  new MutationObserver(() => label(root)).observe(root, { childList: true, subtree: true });
  field.disabled = false;
  if (phrase !== '') report(phrase);
  let typing;
  field.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => search(ui), TYPING_MS);
  });
}

start().catch(() => {
  window.document.getElementById('reference').textContent = 'The API document could not be loaded. تعذّر تحميل وثيقة API.';
});
`;
