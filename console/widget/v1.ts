import { Api, type Settings } from './api.js';
import { Dialog } from './dialog.js';
import { h, receiver } from './dom.js';
import { styleOf } from './style.js';
import { say, type Language } from './texts.js';

const HATIFS_OWN = '#0b6b5d';

/** The script's own tag: its attributes say which widget, and how it looks. */
const tag = document.currentScript as HTMLScriptElement | null;

function chosen<T extends string>(given: string | undefined, allowed: readonly T[], usual: T): T {
  return allowed.find((one) => one === given) ?? usual;
}

/** Puts the button on the page, in a shadow of its own: neither sees the other's style. */
function mount(api: Api, settings: Settings, data: DOMStringMap): void {
  const language: Language = chosen(data.language, ['ar', 'en'], settings.language);
  const { theme } = settings;
  const accent = [data.accent, theme.accent].find((colour) => /^#[0-9a-f]{6}$/i.test(colour ?? '')) ?? HATIFS_OWN;
  const scheme = chosen(data.theme, ['auto', 'light', 'dark'], theme.scheme as 'auto');
  const position = chosen(data.position, ['start', 'end'], theme.position as 'end');

  const host = document.createElement('hatif-widget');
  host.lang = language;
  host.dir = language === 'ar' ? 'rtl' : 'ltr';
  const root = host.attachShadow({ mode: 'open' });
  // A sheet that is made here needs no allowance of the page's policy.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styleOf(accent, scheme, position));
  root.adoptedStyleSheets = [sheet];

  const dialog = new Dialog(api, settings, language, () => button.focus());
  const button = h(
    'button',
    { type: 'button', class: 'open', part: 'button', 'aria-haspopup': 'dialog', onclick: () => dialog.open() },
    receiver(),
    data.label ?? say(language, 'button'),
  );
  root.append(button, dialog.element);
  document.body.append(host);
}

async function start(): Promise<void> {
  if (!tag?.dataset.key) throw new Error('the script tag has no data-key');
  const api = new Api(tag.src.replace(/\/widget\/v1\.js.*$/, ''), tag.dataset.key);
  const settings = await api.settings();
  const ready = (): void => mount(api, settings, tag.dataset);
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', ready, { once: true });
  else ready();
}

// A page is none the worse for a widget that it may not have; whoever made the page reads why in the browser's console.
start().catch((error: unknown) => {
  // eslint-disable-next-line no-console -- there is no other place in a page of somebody else's
  console.warn('Hatif widget:', error instanceof Error ? error.message : error);
});
