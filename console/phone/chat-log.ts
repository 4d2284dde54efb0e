import { h } from '../shared/dom.js';
import type { Unsent } from './chat-memory.js';
import type { ChatMessage } from './chat-requests.js';
import { say, type ChatTextName } from './chat-texts.js';
import { language } from './common/texts.js';

const STATUSES: Readonly<Record<string, ChatTextName>> = {
  ...{ queued: 'queued', sent: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' },
};
const TIME = new Intl.DateTimeFormat(language === 'ar' ? 'ar-SA-u-nu-latn-ca-gregory' : 'en-GB', {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
});

/** What was written in a conversation. A screen reader reads what is added. */
export class ChatLog {
  readonly element: HTMLElement;
  readonly #list = h('ol', {});
  readonly #waiting = h('ol', { class: 'unsent' });
  readonly #items = new Map<string, { readonly item: HTMLElement; readonly status: HTMLElement }>();
  #isNew = true;

  constructor(
    private readonly name: string,
    private readonly onDownload: (message: ChatMessage, name: string) => void,
  ) {
    this.element = h(
      'div',
      { class: 'messages', role: 'log', 'aria-label': say('log', { name }), tabindex: '0' },
      this.#list,
      this.#waiting,
    );
  }

  /** @param messages the oldest first */
  draw(messages: readonly ChatMessage[], unsent: readonly Unsent[]): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const isAtEnd = this.#isNew || scrollHeight - scrollTop - clientHeight < 40;
    let before: Element | null = null;
    for (const message of messages) {
      const { item, status } = this.#itemOf(message);
      const text = message.direction === 'inbound' ? '' : say(STATUSES[message.status] ?? 'sent');
      if (status.textContent !== text) status.textContent = text;
      const place: Element | null = before === null ? this.#list.firstElementChild : before.nextElementSibling;
      if (place !== item) this.#list.insertBefore(item, place);
      before = item;
    }
    const keys = unsent.map(({ key }) => key).join();
    if (this.#waiting.dataset.keys !== keys) {
      this.#waiting.dataset.keys = keys;
      this.#waiting.replaceChildren(
        ...unsent.map(({ text }) =>
          h('li', { class: 'own' }, h('span', { dir: 'auto' }, text), h('small', {}, say('queued'))),
        ),
      );
    }
    if (messages.length > 0) this.#isNew = false;
    if (isAtEnd) this.scrollToEnd();
  }

  scrollToEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }

  #itemOf(message: ChatMessage): { readonly item: HTMLElement; readonly status: HTMLElement } {
    const known = this.#items.get(message.message_id);
    if (known) return known;
    const { message_id: id, direction, text, content, created_at } = message;
    const isOwn = direction === 'outbound';
    const at = h('time', { datetime: created_at }, TIME.format(new Date(created_at)));
    const status = h('span', {});
    const parts: Node[] = text === null || text === '' ? [] : [h('span', { dir: 'auto' }, text)];
    const file = content?.media ?? null;
    if (file !== null) {
      const name = file.file_name ?? 'file';
      const onclick = (): void => this.onDownload(message, name);
      parts.push(h('button', { type: 'button', class: 'quiet', dir: 'auto', onclick }, name));
    }
    const who = h('span', { class: 'who' }, isOwn ? say('team') : h('bdi', {}, this.name));
    const item = h('li', { class: isOwn ? 'own' : 'visitor' }, who, ...parts, h('small', {}, at, ' ', status));
    const made = { item, status };
    this.#items.set(id, made);
    return made;
  }
}
