import { h } from '../shared/dom.js';
import type { Api, Refused } from './common/api.js';
import type { Calls } from './calls.js';
import { ChatAlerts } from './chat-alerts.js';
import { ChatOffer } from './chat-offer.js';
import type { Chat } from './chat-requests.js';
import { say } from './chat-texts.js';
import { ChatView, chatButton, nameOf } from './chat-view.js';
import { Chats } from './chats.js';
import { reasonOf } from './common/parts.js';
import { SessionNote } from './common/session-note.js';
import { say as sayOnPhone } from './common/texts.js';

export interface ChatPanelOptions {
  readonly api: Api;
  readonly user: { readonly id: string; readonly agent: string };
  readonly calls: Calls;
  /** The session is over: the person signs in again. */
  readonly onSignIn: () => void;
}

/** The chats of an agent: those that are offered, those that the agent has, and one that is shown. */
export class ChatPanel {
  readonly element: HTMLElement;
  readonly #chats: Chats;
  readonly #alerts = new ChatAlerts();
  readonly #offers = h('div', { role: 'group', 'aria-label': say('offers') });
  readonly #list = h('ul', { class: 'open-chats', 'aria-label': say('open') });
  readonly #views = h('div', {});
  readonly #none = h('p', { class: 'soft' }, say('none'));
  readonly #note: SessionNote;
  readonly #announcer = h('p', { class: 'hidden', 'aria-live': 'assertive' });
  readonly #shownOffers = new Map<string, ChatOffer>();
  readonly #shownViews = new Map<string, ChatView>();
  readonly #entries = new Map<string, { readonly item: HTMLElement; readonly button: HTMLButtonElement }>();

  constructor(private readonly options: ChatPanelOptions) {
    const { api, user, onSignIn } = options;
    const [offline, over] = [say('offline'), say('over')];
    this.#note = new SessionNote({ offline, over, signIn: sayOnPhone('sign_in'), onSignIn });
    const sound = h('input', { id: 'chat-sound', type: 'checkbox' });
    sound.checked = this.#alerts.hasSound;
    sound.addEventListener('change', () => (this.#alerts.hasSound = sound.checked));
    const notify = chatButton('notify', () => void this.#alerts.ask().finally(() => (notify.hidden = true)), 'quiet');
    notify.hidden = !this.#alerts.canAsk;
    this.element = h(
      'section',
      { class: 'card chats', 'aria-labelledby': 'chats-title' },
      h('h2', { id: 'chats-title' }, say('title')),
      this.#note.element,
      this.#offers,
      this.#none,
      h('div', { class: 'conversations' }, this.#list, this.#views),
      h(
        'div',
        { class: 'actions' },
        h('div', { class: 'check' }, sound, h('label', { for: sound.id }, say('sound'))),
        notify,
      ),
      this.#announcer,
    );
    this.#chats = new Chats(api, user, {
      changed: () => this.#draw(),
      offered: (chat) => this.#alert(chat, say('new_offer', { name: nameOf(chat) })),
      wrote: (chat) => this.#wrote(chat),
      gone: (chat) => this.#gone(chat),
      callAnswered: (threadId, step) => this.#callAnswered(threadId, step),
      failed: ({ threadId, text }, error) => this.#shownViews.get(threadId)?.giveBack(text, error),
      refused: (refusal) => this.#refused(refusal),
    });
    document.addEventListener('visibilitychange', this.#look);
    this.#draw();
  }

  /** @param isSignedOut nothing is kept in the tab */
  stop(isSignedOut: boolean): void {
    document.removeEventListener('visibilitychange', this.#look);
    this.#chats.stop();
    this.#alerts.count(0);
    for (const offer of this.#shownOffers.values()) offer.stop();
    if (isSignedOut) this.#chats.memory.clear();
  }

  readonly #look = (): void => {
    for (const view of this.#shownViews.values()) view.see();
    if (!document.hidden) void this.#chats.read();
  };

  #draw(): void {
    const all = this.#chats.all;
    const [offers, own] = [all.filter(isOffered), all.filter((chat) => !isOffered(chat))];
    this.#drawOffers(offers);
    this.#drawOwn(own);
    this.#none.hidden = all.length > 0;
    this.#alerts.count(offers.length + own.reduce((sum, { unread }) => sum + unread, 0));
    this.#note.online(this.#chats.isOnline);
  }

  #drawOffers(offers: readonly Chat[]): void {
    for (const chat of offers) {
      const { thread_id: id } = chat;
      if (this.#shownOffers.has(id)) continue;
      const offer = new ChatOffer(chat, (answer) => void this.#answer(chat, answer));
      this.#shownOffers.set(id, offer);
      this.#offers.append(offer.element);
    }
    for (const [id, offer] of this.#shownOffers) {
      const chat = offers.find(({ thread_id }) => thread_id === id);
      if (chat) {
        offer.draw(chat, this.#chats.messages(id).at(-1) ?? null);
        continue;
      }
      offer.stop();
      this.#shownOffers.delete(id);
    }
  }

  #drawOwn(own: readonly Chat[]): void {
    const ids = new Set(own.map(({ thread_id }) => thread_id));
    for (const [id, view] of this.#shownViews) {
      if (ids.has(id)) continue;
      view.element.remove();
      this.#shownViews.delete(id);
      this.#entries.get(id)?.item.remove();
      this.#entries.delete(id);
    }
    const selected = own.find(({ thread_id }) => thread_id === this.#chats.memory.selected) ?? own[0];
    for (const chat of own) {
      const isShown = chat === selected;
      this.#drawEntry(chat, isShown);
      const view = this.#viewOf(chat);
      view.show(isShown);
      view.draw(chat);
    }
  }

  #viewOf(chat: Chat): ChatView {
    const known = this.#shownViews.get(chat.thread_id);
    if (known) return known;
    const { calls } = this.options;
    const announce = (text: string): void => this.#say(text);
    const view = new ChatView({ chats: this.#chats, calls, chat, announce });
    this.#shownViews.set(chat.thread_id, view);
    this.#views.append(view.element);
    return view;
  }

  #drawEntry(chat: Chat, isShown: boolean): void {
    const { thread_id: id, unread } = chat;
    const select = (): void => this.#select(id);
    const entry = this.#entries.get(id) ?? {
      item: h('li', {}),
      button: h('button', { type: 'button', onclick: select }),
    };
    if (!this.#entries.has(id)) {
      this.#entries.set(id, entry);
      entry.item.append(entry.button);
      this.#list.append(entry.item);
    }
    const state = this.#chats.isTyping(id) ? 'typing' : this.#chats.visitor(id);
    const parts = [...(unread === 0 ? [] : [say('unread', { count: unread })]), say(state)];
    const text = `${nameOf(chat)}|${parts.join(' · ')}`;
    if (entry.button.dataset.text !== text) {
      entry.button.dataset.text = text;
      entry.button.replaceChildren(h('bdi', {}, nameOf(chat)), ' ', h('small', {}, parts.join(' · ')));
    }
    entry.button.classList.toggle('unread', unread > 0);
    entry.button.setAttribute('aria-current', String(isShown));
  }

  #select(threadId: string): void {
    this.#chats.memory.select(threadId);
    this.#draw();
    this.#shownViews.get(threadId)?.focus();
  }

  async #answer(chat: Chat, answer: 'accept' | 'decline'): Promise<void> {
    this.#note.show('');
    try {
      await this.#chats.requests[answer](chat.thread_id);
      if (answer === 'accept') this.#chats.memory.select(chat.thread_id);
    } catch (error) {
      this.#note.show(reasonOf(error));
    }
    await this.#chats.read();
    if (answer === 'accept') this.#shownViews.get(chat.thread_id)?.focus();
  }

  #wrote(chat: Chat): void {
    const isSeen = this.#shownViews.get(chat.thread_id)?.isShown === true && document.hasFocus();
    if (!isSeen) this.#alert(chat, say('new_message', { name: nameOf(chat) }));
  }

  #gone(chat: Chat): void {
    // An offer that ended is nothing that the agent had.
    if (!isOffered(chat)) this.#say(say('not_yours', { name: nameOf(chat) }));
  }

  #callAnswered(threadId: string, step: 'accepted' | 'declined'): void {
    const chat = this.#chats.all.find(({ thread_id }) => thread_id === threadId);
    if (chat) this.#alert(chat, say(step === 'accepted' ? 'call_accepted' : 'call_declined', { name: nameOf(chat) }));
  }

  #alert(chat: Chat, text: string): void {
    this.#say(text);
    this.#alerts.alert(say('title'), text, chat.thread_id, () => this.#select(chat.thread_id));
  }

  #refused(refusal: Refused): void {
    this.#chats.stop();
    // There are no chats for this person.
    if (refusal.status !== 401) {
      this.element.hidden = true;
      return;
    }
    this.#note.over();
  }

  #say(text: string): void {
    this.#announcer.textContent = text;
  }
}

function isOffered({ chat }: Chat): boolean {
  return chat.status === 'offered';
}
