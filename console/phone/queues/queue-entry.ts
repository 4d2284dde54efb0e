import { h } from '../../shared/dom.js';
import { isSignedIn, type Queue } from './queue-requests.js';
import { say } from './queue-texts.js';

/** One of the agent's queues in the list, with a button to sign in to it or out of it. */
export class QueueEntry {
  readonly element = h('li', {});
  readonly #name = h('bdi', {});
  readonly #detail = h('small', {});
  readonly #button: HTMLButtonElement;

  constructor(
    private queue: Queue,
    onPress: (queue: Queue) => void,
  ) {
    this.#button = h('button', { type: 'button', onclick: () => onPress(this.queue) });
    this.element.append(h('div', {}, this.#name, ' ', this.#detail), this.#button);
    this.draw(queue);
  }

  draw(queue: Queue): void {
    this.queue = queue;
    const isIn = isSignedIn(queue);
    this.#name.textContent = queue.queue;
    this.#detail.textContent = [
      say(isIn ? 'signed_in' : 'signed_out'),
      ...(queue.waiting === null ? [] : [say('waiting', { count: queue.waiting })]),
    ].join(' · ');
    this.#button.textContent = say(isIn ? 'sign_out' : 'sign_in');
    this.#button.setAttribute('aria-label', say(isIn ? 'sign_out_of' : 'sign_in_to', { queue: queue.queue }));
    this.#button.className = isIn ? '' : 'main';
  }

  focus(): void {
    this.#button.focus();
  }
}
