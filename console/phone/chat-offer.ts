import { h } from '../shared/dom.js';
import type { Chat, ChatMessage } from './chat-requests.js';
import { say } from './chat-texts.js';
import { chatButton, nameOf } from './chat-view.js';

const SECOND_MS = 1_000;

/** A chat that is offered to the agent, who can take it for a while. */
export class ChatOffer {
  readonly element: HTMLElement;
  readonly #left = h('p', { class: 'soft' });
  readonly #text = h('p', { dir: 'auto' });
  readonly #clock: ReturnType<typeof setInterval>;
  #until: string | null;

  constructor(chat: Chat, onAnswer: (answer: 'accept' | 'decline') => void) {
    const name = nameOf(chat);
    this.#until = chat.chat.offered_until;
    this.element = h(
      'article',
      { class: 'call', 'aria-label': name },
      h('h3', {}, h('bdi', {}, name)),
      this.#left,
      this.#text,
      h(
        'div',
        { class: 'actions' },
        chatButton('accept', () => onAnswer('accept'), 'main'),
        chatButton('decline', () => onAnswer('decline'), 'stop'),
      ),
    );
    this.#clock = setInterval(() => this.#tick(), SECOND_MS);
    this.#tick();
  }

  /** @param last the newest message */
  draw({ chat }: Chat, last: ChatMessage | null): void {
    this.#until = chat.offered_until;
    this.#text.textContent = last?.text ?? '';
    this.#tick();
  }

  stop(): void {
    clearInterval(this.#clock);
    this.element.remove();
  }

  #tick(): void {
    const leftMs = this.#until === null ? 0 : Date.parse(this.#until) - Date.now();
    this.#left.textContent = say('offer_left', { seconds: Math.max(0, Math.round(leftMs / SECOND_MS)) });
  }
}
