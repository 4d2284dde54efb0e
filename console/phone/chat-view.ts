import { h } from '../shared/dom.js';
import { newId } from '../shared/ids.js';
import { TypingReports } from '../shared/typing.js';
import type { Calls } from './calls.js';
import { ChatLog } from './chat-log.js';
import type { Chat, ChatMessage } from './chat-requests.js';
import { say, type ChatTextName } from './chat-texts.js';
import type { Chats } from './chats.js';
import { button, field, openDialog, reasonOf } from './common/parts.js';
import { SearchInput } from './search.js';

export interface ChatViewOptions {
  readonly chats: Chats;
  readonly calls: Calls;
  readonly chat: Chat;
  /** Reads something aloud. */
  readonly announce: (text: string) => void;
}

/** What agents may send; the platform looks at the content. */
const ACCEPT = 'image/png,image/jpeg,image/webp,application/pdf,text/plain,audio/*,video/mp4,.docx,.xlsx,.pptx';

export function nameOf({ chat }: Chat): string {
  return chat.visitor_name ?? say('visitor');
}

/** A button with a text of chats. */
export function chatButton(name: ChatTextName, onclick: () => void, className = ''): HTMLButtonElement {
  return h('button', { type: 'button', class: className, onclick }, say(name));
}

/** One conversation: what was written, an input, and what can be done to it. */
export class ChatView {
  readonly element: HTMLElement;
  readonly #log: ChatLog;
  readonly #state = h('p', { class: 'soft', role: 'status' });
  readonly #error = h('p', { class: 'bad', role: 'alert' });
  readonly #earlier: HTMLButtonElement;
  readonly #text: HTMLTextAreaElement;
  readonly #typing: TypingReports;
  #chat: Chat;

  constructor(private readonly options: ChatViewOptions) {
    const { chats, chat } = options;
    this.#chat = chat;
    const { thread_id: id } = chat;
    const name = nameOf(chat);
    this.#log = new ChatLog(name, (message, file) => this.#try(() => this.#download(message, file)));
    this.#earlier = chatButton('earlier', () => this.#try(() => chats.readEarlier(id)), 'quiet');
    this.#typing = new TypingReports(() => void chats.requests.type(id).catch(() => undefined));
    this.#text = h('textarea', {
      ...{ id: `chat-text-${id}`, rows: '2', maxlength: '4096', dir: 'auto' },
      oninput: () => {
        chats.memory.keepDraft(id, this.#text.value);
        this.#typing.type();
      },
      onkeydown: (event) => this.#onKey(event as KeyboardEvent),
    });
    this.#text.value = chats.memory.draft(id);
    const file = h('input', {
      ...{ id: `chat-file-${id}`, type: 'file', accept: ACCEPT },
      onchange: () => {
        const [chosen] = file.files ?? [];
        file.value = '';
        if (chosen) this.#try(() => this.#sendFile(chosen));
      },
    });
    const submit = (event: Event): void => {
      event.preventDefault();
      this.#write();
    };
    this.element = h(
      'article',
      { class: 'chat', 'aria-labelledby': `chat-title-${id}`, hidden: true },
      h('h3', { id: `chat-title-${id}` }, h('bdi', {}, name)),
      this.#state,
      this.#earlier,
      this.#log.element,
      this.#error,
      h(
        'form',
        { onsubmit: submit },
        h('div', { class: 'field' }, h('label', { for: this.#text.id }, say('text', { name })), this.#text),
        h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'main' }, say('send'))),
      ),
      h('div', { class: 'field' }, h('label', { for: file.id }, say('file')), file),
      h(
        'div',
        { class: 'actions' },
        chatButton('call', () => this.#try(() => this.#proposeCall())),
        chatButton('transfer', () => giveDialog(options.calls, name, (agent) => this.#give(agent))),
        ...(chat.chat.queue_id === null ? [] : [chatButton('release', () => this.#try(() => this.#give(null)))]),
        chatButton('close', () => this.#try(() => this.#close()), 'stop'),
      ),
    );
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  show(isShown: boolean): void {
    if (this.isShown === isShown) return;
    this.element.hidden = !isShown;
    if (!isShown) return;
    this.#log.scrollToEnd();
    this.see();
  }

  focus(): void {
    this.#text.focus();
  }

  /** Reports what is on the screen as read. */
  see(): void {
    if (this.isShown && !document.hidden) void this.options.chats.see(this.#chat);
  }

  draw(chat: Chat): void {
    const { chats } = this.options;
    this.#chat = chat;
    const { thread_id: id } = chat;
    const text = say(chats.isTyping(id) ? 'typing' : chats.visitor(id));
    // Screen readers repeat what is set again.
    if (this.#state.textContent !== text) this.#state.textContent = text;
    this.#earlier.hidden = !chats.hasEarlier(id);
    this.#log.draw(chats.messages(id), chats.outbox.of(id));
    if (chat.unread > 0) this.see();
  }

  /** What the agent wrote was not taken: it can be changed. */
  giveBack(text: string, error: unknown): void {
    this.#text.value = this.#text.value === '' ? text : this.#text.value;
    this.#error.textContent = reasonOf(error);
  }

  #onKey(event: KeyboardEvent): void {
    // An input method uses the key to choose a word.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#write();
  }

  #write(): void {
    const { chats } = this.options;
    const { thread_id: threadId, with: visitor } = this.#chat;
    const text = this.#text.value.trim();
    this.#error.textContent = '';
    this.#text.focus();
    if (text === '') return;
    this.#text.value = '';
    chats.memory.keepDraft(threadId, '');
    chats.outbox.add({ threadId, visitor, text });
    this.#typing.end();
    this.#log.scrollToEnd();
  }

  async #sendFile(file: File): Promise<void> {
    const { requests } = this.options.chats;
    await requests.send(this.#chat.with, { file: await requests.upload(file) }, newId());
    await this.options.chats.read();
  }

  async #download({ message_id }: ChatMessage, name: string): Promise<void> {
    const url = URL.createObjectURL(await this.options.chats.requests.file(message_id));
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  async #proposeCall(): Promise<void> {
    await this.options.chats.requests.proposeCall(this.#chat.thread_id);
    this.options.announce(say('call_proposed'));
  }

  async #give(agent: string | null): Promise<void> {
    await this.options.chats.requests.give(this.#chat.thread_id, agent);
    await this.options.chats.read();
  }

  async #close(): Promise<void> {
    await this.options.chats.requests.close(this.#chat.thread_id);
    await this.options.chats.read();
  }

  /** Does what the agent wants, and shows why if it fails. */
  #try(work: () => Promise<void>): void {
    this.#error.textContent = '';
    work().catch((error: unknown) => (this.#error.textContent = reasonOf(error)));
  }
}

/** Gives a chat to a colleague. @param give rejects with the reason why it was not given */
function giveDialog(calls: Calls, name: string, give: (agent: string) => Promise<void>): void {
  const target = new SearchInput((text) => calls.searchColleagues(text));
  const error = h('p', { class: 'bad', role: 'alert' });
  const submit = (): void => {
    if (target.value === '') {
      target.input.focus();
      return;
    }
    error.textContent = '';
    give(target.value).then(
      () => dialog.close(),
      (reason: unknown) => (error.textContent = reasonOf(reason)),
    );
  };
  const actions = h('div', { class: 'actions' }, button('transfer_now', submit, 'main'));
  const who = h('p', {}, h('bdi', {}, name));
  const input = field('transfer_to', target.input, 'colleague_hint');
  const dialog = openDialog('transfer', who, input, target.element, error, actions);
  target.input.focus();
}
