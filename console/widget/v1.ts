import { Api, type Settings } from './api.js';
import { loadChat } from './chat-module.js';
import { Dialog } from './dialog.js';
import { h, receiver } from '../shared/dom.js';
import { Proofs } from './proofs.js';
import { styleOf } from './style.js';
import type { Language } from '../shared/texts.js';
import { say } from './texts.js';

const DEFAULT_ACCENT = '#0b6b5d';

/** The script's own tag: its attributes choose the widget and its appearance. */
const tag = document.currentScript as HTMLScriptElement | null;

function choose<T extends string>(given: string | undefined, allowed: readonly T[], fallback: T): T {
  return allowed.find((one) => one === given) ?? fallback;
}

/** Adds the button to the page in a shadow root, which isolates the styles of both. */
function mount(api: Api, settings: Settings, data: DOMStringMap): void {
  const language: Language = choose(data.language, ['ar', 'en'], settings.language);
  const { theme } = settings;
  const accent = [data.accent, theme.accent].find((colour) => /^#[0-9a-f]{6}$/i.test(colour ?? '')) ?? DEFAULT_ACCENT;
  const scheme = choose(data.theme, ['auto', 'light', 'dark'], theme.scheme as 'auto');
  const position = choose(data.position, ['start', 'end'], theme.position as 'end');

  const host = document.createElement('hatif-widget');
  host.lang = language;
  host.dir = language === 'ar' ? 'rtl' : 'ltr';
  const root = host.attachShadow({ mode: 'open' });
  // A constructed style sheet needs no permission in the page's content security policy.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styleOf(accent, scheme, position));
  root.adoptedStyleSheets = [sheet];

  const proofs = new Proofs(api, settings.captcha);
  const dialog = new Dialog(api, settings, proofs, language, () => button.focus());
  const button = h(
    'button',
    { type: 'button', class: 'open', part: 'button', 'aria-haspopup': 'dialog', onclick: () => dialog.open() },
    receiver(),
    data.label ?? say(language, 'button'),
  );
  root.append(h('div', { class: 'bar' }, button), dialog.element);
  if (settings.chat) {
    const onCall = (chat: string | null, isNow: boolean): void => dialog.open(chat, isNow);
    const parts = { api, settings, proofs, language, position, onCall };
    loadChat(api.base)
      .then((chat) => chat.addChat(root, parts))
      .catch(report);
  }
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

// A failed widget must not affect the page; its developer finds the reason in the browser's console.
function report(error: unknown): void {
  // eslint-disable-next-line no-console -- the widget has no other log on a third-party page
  console.warn('Hatif widget:', error instanceof Error ? error.message : error);
}

start().catch(report);
