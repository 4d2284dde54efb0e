import { h } from '../../shared/dom.js';
import type { Settings } from '../api.js';
import type { Proofs } from '../proofs.js';
import type { Language } from '../../shared/texts.js';
import { TYPING_SHOWN_MS } from '../../shared/typing.js';
import { refusalOf, type ChatApi, type Refusal } from './api.js';
import { fileField, mailForm } from './fields.js';
import { ChatLink, type ChatMessage, type ChatState } from './link.js';
import { isChatText, sayInChat, type ChatText } from './texts.js';

export interface ChatPanelOptions {
  readonly api: ChatApi;
  readonly settings: Settings;
  readonly proofs: Proofs;
  readonly language: Language;
  readonly key: string;
  readonly onClose: () => void;
  /** The visitor wants to talk. @param chat its token; null before the first message @param isNow by the browser, if it can */
  readonly onCall: (chat: string | null, isNow: boolean) => void;
  /** Messages that the visitor has not seen. */
  readonly onUnread: (count: number) => void;
}

/** How long an agent's proposal to talk is shown. */
const PROPOSED_MS = 60_000;

/** The chat: what was written, and a field to write. The page stays usable beside it. */
export class ChatPanel {
  readonly element: HTMLDialogElement;
  readonly #log: HTMLElement;
  readonly #list = h('ol', { class: 'list' });
  readonly #waiting = h('ol', { class: 'list waiting' });
  readonly #state = h('p', { class: 'soft', role: 'status', 'aria-live': 'polite' });
  readonly #error = h('p', { class: 'bad', role: 'alert' });
  readonly #name: HTMLInputElement;
  readonly #nameField: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #end: HTMLButtonElement;
  readonly #mail: HTMLButtonElement;
  readonly #mailForm: HTMLFormElement;
  readonly #fileField: HTMLElement;
  readonly #link: ChatLink;
  readonly #proposal = h('div', { class: 'proposal', role: 'group', hidden: true });
  #shown: ChatState = { status: 'new', agent: null, left: false };
  #proposed: ReturnType<typeof setTimeout> | undefined;
  #isOnline = true;
  #typingUntil = 0;
  #unread: string[] = [];

  constructor(private readonly options: ChatPanelOptions) {
    const { language } = options;
    document.addEventListener('visibilitychange', () => this.#see());
    const t = (name: ChatText): string => sayInChat(language, name);
    this.#log = h(
      'div',
      { class: 'log', role: 'log', 'aria-live': 'polite', 'aria-label': t('chat_log'), tabindex: '0' },
      this.#list,
    );
    this.#name = h('input', { id: 'chat-name', autocomplete: 'name', maxlength: '100' });
    this.#nameField = h('div', {}, h('label', { for: 'chat-name' }, t('name')), this.#name);
    this.#text = h('textarea', {
      id: 'chat-text',
      rows: '2',
      maxlength: '4096',
      required: true,
      dir: 'auto',
      onkeydown: (event) => this.#onKey(event as KeyboardEvent),
      oninput: () => this.#link.type(),
    });
    this.#end = h('button', { type: 'button', class: 'link', onclick: () => this.#link.end() }, t('chat_end'));
    this.#fileField = fileField(t('chat_file'), (file) => void this.#try(() => this.#link.sendFile(file)));
    this.#mailForm = mailForm(language, (email) => void this.#sendMail(email));
    this.#mail = h(
      'button',
      { type: 'button', class: 'link', onclick: () => (this.#mailForm.hidden = !this.#mailForm.hidden) },
      t('chat_mail'),
    );
    const call = h(
      'button',
      { type: 'button', class: 'link', onclick: () => options.onCall(this.#link.token, false) },
      t('chat_call'),
    );
    const close = h(
      'button',
      { type: 'button', class: 'x', 'aria-label': t('close'), onclick: () => this.#close() },
      '×',
    );
    this.element = h(
      'dialog',
      {
        class: 'chat',
        'aria-labelledby': 'chat-title',
        onkeydown: (event) => {
          if ((event as KeyboardEvent).key === 'Escape') this.#close();
        },
      },
      h('header', {}, h('h2', { id: 'chat-title' }, t('chat_title')), close),
      this.#state,
      this.#log,
      this.#waiting,
      this.#error,
      this.#proposal,
      h(
        'form',
        {
          novalidate: true,
          onsubmit: (event) => {
            event.preventDefault();
            this.#write();
          },
        },
        this.#nameField,
        h('label', { for: 'chat-text' }, t('chat_text')),
        this.#text,
        h('button', { type: 'submit' }, t('chat_send')),
      ),
      h('div', { class: 'file' }, this.#fileField),
      this.#mailForm,
      h('footer', {}, call, this.#mail, this.#end),
    );
    this.#link = new ChatLink({
      ...{ api: options.api, proofs: options.proofs, language, key: options.key },
      onMessage: (message) => this.#add(message),
      onState: (state) => {
        this.#shown = state;
        this.#sayInChat();
      },
      onUnsent: (texts) => this.#showUnsent(texts),
      onTyping: () => this.#showTyping(),
      onCallProposed: (agent) => this.#propose(agent),
      onOnline: (isOnline) => {
        this.#isOnline = isOnline;
        this.#sayInChat();
      },
      onRefused: (refusal) => this.#fail(refusal),
    });
    this.#sayInChat();
    this.#link.resume();
  }

  open(): void {
    this.element.show();
    this.#text.focus();
    if (!this.#link.hasChat) this.options.proofs.prepare();
    this.#see();
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #close(): void {
    this.element.close();
    this.options.onClose();
  }

  #onKey(event: KeyboardEvent): void {
    // An input method uses the key to choose a word.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#write();
  }

  #write(): void {
    const text = this.#text.value.trim();
    this.#error.textContent = '';
    if (text === '') return;
    const name = this.#name.value.trim();
    this.#text.value = '';
    this.#text.focus();
    this.#link.write(text, name === '' ? null : name);
    this.#sayInChat();
  }

  async #sendMail(email: string): Promise<void> {
    const { api, language } = this.options;
    const { token } = this.#link;
    if (token === null) return;
    await this.#try(async () => {
      await api.mail(token, email);
      this.#mailForm.hidden = true;
      this.#state.textContent = sayInChat(language, 'chat_mailed');
    });
  }

  /** Does what the visitor wants, and shows why if it fails. */
  async #try(work: () => Promise<void>): Promise<void> {
    this.#error.textContent = '';
    try {
      await work();
    } catch (error) {
      this.#fail(refusalOf(error));
    }
  }

  async #download({ id, name }: NonNullable<ChatMessage['file']>): Promise<void> {
    const { token } = this.#link;
    if (token === null) return;
    const url = URL.createObjectURL(await this.options.api.file(token, id));
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  #add({ id, from, text, file }: ChatMessage): void {
    const { language } = this.options;
    const who =
      from === 'visitor' ? sayInChat(language, 'chat_you') : (this.#shown.agent ?? sayInChat(language, 'chat_agent'));
    const parts: Node[] = text === '' ? [] : [h('span', { dir: 'auto' }, text)];
    if (file) {
      const get = () => void this.#try(() => this.#download(file));
      parts.push(h('button', { type: 'button', class: 'link', dir: 'auto', onclick: get }, file.name));
    }
    this.#list.append(h('li', { class: from }, h('span', { class: 'who' }, who), ...parts));
    this.#log.scrollTop = this.#log.scrollHeight;
    if (from === 'agent') this.#typingUntil = 0;
    this.#sayInChat();
    if (from !== 'agent') return;
    this.#unread.push(id);
    this.#see();
  }

  /** Reports what is on the screen as read. */
  #see(): void {
    if (this.element.open && !document.hidden) {
      this.#link.read(this.#unread);
      this.#unread = [];
    }
    const isProposed = !this.element.open && !this.#proposal.hidden;
    this.options.onUnread(this.#unread.length + (isProposed ? 1 : 0));
  }

  #showUnsent(texts: readonly string[]): void {
    this.#waiting.replaceChildren(
      ...texts.map((text) => h('li', { class: 'visitor' }, h('span', { dir: 'auto' }, text))),
    );
    this.#waiting.hidden = texts.length === 0;
  }

  /** An agent would like to talk: the visitor decides. The page keeps the focus where it is. */
  #propose(agent: string | null): void {
    const { language, onCall, onUnread } = this.options;
    const t = (name: ChatText): string => sayInChat(language, name);
    const close = (): void => {
      clearTimeout(this.#proposed);
      this.#proposal.hidden = true;
      this.#proposal.replaceChildren();
      onUnread(this.#unread.length);
    };
    const answer = (answer: 'accepted' | 'declined'): void => {
      close();
      this.#link.answerCall(answer);
      if (answer === 'accepted') onCall(this.#link.token, true);
      else this.#text.focus();
    };
    const text = sayInChat(language, 'chat_talk', { agent: agent ?? t('chat_agent') });
    this.#proposal.replaceChildren(
      h('p', { id: 'chat-proposal', role: 'alert' }, text),
      h('button', { type: 'button', onclick: () => answer('accepted') }, t('chat_talk_now')),
      h('button', { type: 'button', class: 'link', onclick: () => answer('declined') }, t('chat_talk_later')),
    );
    this.#proposal.setAttribute('aria-labelledby', 'chat-proposal');
    this.#proposal.hidden = false;
    clearTimeout(this.#proposed);
    this.#proposed = setTimeout(close, PROPOSED_MS);
    if (!this.element.open) onUnread(this.#unread.length + 1);
  }

  #showTyping(): void {
    this.#typingUntil = Date.now() + TYPING_SHOWN_MS;
    this.#sayInChat();
    setTimeout(() => this.#sayInChat(), TYPING_SHOWN_MS);
  }

  #sayInChat(): void {
    const text = this.#stateText();
    // Screen readers repeat what is set again.
    if (this.#state.textContent !== text) this.#state.textContent = text;
    const { status } = this.#shown;
    this.#nameField.hidden = status !== 'new' || this.#link.hasChat;
    this.#end.hidden = status !== 'waiting' && status !== 'assigned';
    this.#fileField.hidden = status === 'new';
    this.#mail.hidden = status === 'new';
  }

  #stateText(): string {
    const { language, settings } = this.options;
    const { status, agent, left } = this.#shown;
    if (!this.#isOnline && this.#link.hasChat) return sayInChat(language, 'chat_offline');
    if (Date.now() < this.#typingUntil) return sayInChat(language, 'chat_typing');
    if (left && status === 'waiting') return sayInChat(language, 'chat_left');
    if (left && status === 'assigned') return sayInChat(language, 'chat_away');
    if (status === 'assigned') {
      return agent === null ? sayInChat(language, 'chat_assigned') : sayInChat(language, 'chat_assigned_to', { agent });
    }
    if (status === 'new') return sayInChat(language, settings.sandbox ? 'chat_sandbox' : 'chat_new');
    return sayInChat(language, status === 'waiting' ? 'chat_waiting' : 'chat_closed');
  }

  #fail({ code, retryAfterSeconds }: Refusal): void {
    const { language } = this.options;
    const name = code !== null && isChatText(code) ? code : 'other';
    this.#error.textContent = sayInChat(language, name, {
      seconds: retryAfterSeconds,
      minutes: Math.max(1, Math.ceil(retryAfterSeconds / 60)),
    });
  }
}
