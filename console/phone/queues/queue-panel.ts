import { h } from '../../shared/dom.js';
import type { Api, Refused } from '../common/api.js';
import { reasonOf } from '../common/parts.js';
import { SessionNote } from '../common/session-note.js';
import { OwnQueues } from './own-queues.js';
import { PauseForm } from './pause-form.js';
import { QueueEntry } from './queue-entry.js';
import { isOwn, isSignedIn, type AgentQueues, type Queue, type QueueRequests } from './queue-requests.js';
import { say, type QueueTextName } from './queue-texts.js';
import { StateLine } from './state-line.js';

export interface QueuePanelOptions {
  readonly api: Api;
  readonly agent: string;
  /** The session is over: the person signs in again. */
  readonly onSignIn: () => void;
}

/** The queues of an agent: where the agent is signed in, the pause, and who waits. */
export class QueuePanel {
  readonly element: HTMLElement;
  readonly #queues: OwnQueues;
  readonly #state = new StateLine();
  readonly #note: SessionNote;
  readonly #none = h('p', { class: 'soft' }, say('none'));
  readonly #list = h('ul', { class: 'log', 'aria-label': say('own') });
  readonly #entries = new Map<string, QueueEntry>();
  readonly #all = h('div', { class: 'actions' }, this.#button('all_in', 'signIn'), this.#button('all_out', 'signOut'));
  readonly #pause = new PauseForm((reason) => this.#togglePause(reason));
  readonly #others = h('select', { id: 'other-queue' });
  readonly #other: HTMLElement;
  readonly #announcer = h('p', { class: 'hidden', 'aria-live': 'polite' });
  /** The name of the queue whose button gets the focus once it is in the list. */
  #focused: string | null = null;

  constructor({ api, agent, onSignIn }: QueuePanelOptions) {
    this.#note = new SessionNote({ offline: say('offline'), over: say('over'), signIn: say('again'), onSignIn });
    this.#other = h(
      'form',
      {
        class: 'field',
        onsubmit: (event) => {
          event.preventDefault();
          this.#join(this.#others.value);
        },
      },
      h('label', { for: this.#others.id }, say('other')),
      this.#others,
      h('div', { class: 'actions' }, h('button', { type: 'submit' }, say('other_in'))),
    );
    this.element = h(
      'section',
      { class: 'card', 'aria-labelledby': 'queues-title', hidden: true },
      h('h2', { id: 'queues-title' }, say('title')),
      this.#note.element,
      this.#state.element,
      this.#none,
      this.#list,
      this.#all,
      this.#pause.element,
      this.#other,
      this.#announcer,
    );
    this.#queues = new OwnQueues(api, agent, {
      changed: (now, before) => {
        this.#draw(now);
        if (before !== null) this.#announce(now, before);
      },
      online: (isOnline) => this.#note.online(isOnline),
      refused: (refusal) => this.#refused(refusal),
    });
  }

  stop(): void {
    this.#queues.stop();
    this.#state.stop();
  }

  #draw(now: AgentQueues): void {
    const [own, others] = [now.queues.filter(isOwn), now.queues.filter((queue) => !isOwn(queue))];
    this.element.hidden = false;
    this.#state.draw(now);
    this.#pause.draw(now.pause !== null);
    this.#none.hidden = own.length > 0;
    this.#all.hidden = own.length < 2;
    this.#other.hidden = others.length === 0;
    this.#drawOwn(own);
    this.#drawOthers(others);
  }

  #drawOwn(own: readonly Queue[]): void {
    const ids = new Set(own.map(({ queue_id }) => queue_id));
    for (const [id, { element }] of this.#entries) {
      if (ids.has(id)) continue;
      element.remove();
      this.#entries.delete(id);
    }
    for (const [at, queue] of own.entries()) {
      const entry = this.#entries.get(queue.queue_id) ?? this.#newEntry(queue);
      entry.draw(queue);
      const there = this.#list.children[at];
      // An element that is moved loses the focus.
      if (there !== entry.element) this.#list.insertBefore(entry.element, there ?? null);
      if (queue.queue !== this.#focused) continue;
      this.#focused = null;
      entry.focus();
    }
  }

  #newEntry(queue: Queue): QueueEntry {
    const entry = new QueueEntry(queue, (pressed) => {
      const { queue: name } = pressed;
      this.#request((requests) => [isSignedIn(pressed) ? requests.signOut(name) : requests.signIn(name)]);
    });
    this.#entries.set(queue.queue_id, entry);
    return entry;
  }

  /** The choice stays while something else changes. */
  #drawOthers(others: readonly Queue[]): void {
    const text = others.map(({ queue, dial_code }) => `${queue} ${dial_code ?? ''}`).join('|');
    if (this.#others.dataset.text === text) return;
    const chosen = this.#others.value;
    this.#others.dataset.text = text;
    this.#others.replaceChildren(
      ...others.map(({ queue, dial_code: code }) =>
        h('option', { value: queue }, code === null ? queue : say('code', { queue, code })),
      ),
    );
    if (others.some(({ queue }) => queue === chosen)) this.#others.value = chosen;
  }

  #button(name: QueueTextName, action: 'signIn' | 'signOut'): HTMLButtonElement {
    const onclick = (): void => {
      const own = this.#queues.state?.queues.filter(isOwn) ?? [];
      this.#request((requests) => own.map(({ queue }) => requests[action](queue)));
    };
    return h('button', { type: 'button', onclick }, say(name));
  }

  #join(queue: string): void {
    this.#focused = queue;
    this.#request((requests) => [requests.signIn(queue)]);
  }

  #togglePause(reason: string | null): void {
    const isPaused = this.#queues.state?.pause != null;
    this.#request((requests) => [isPaused ? requests.unpause() : requests.pause(reason)]);
  }

  /** A second press before the answer repeats the request, which changes nothing. */
  #request(work: (requests: QueueRequests) => readonly Promise<void>[]): void {
    this.#note.show('');
    void this.#queues.request(work).then((refusal) => {
      if (refusal === null) return;
      this.#focused = null;
      this.#note.show(reasonOf(refusal));
    });
  }

  /** Reads to the person what has changed, here or elsewhere. */
  #announce(now: AgentQueues, before: AgentQueues): void {
    const known = new Map(before.queues.map((queue) => [queue.queue_id, queue]));
    const isIn = (queue: Queue | undefined): boolean => queue !== undefined && isSignedIn(queue);
    const moved = now.queues.filter((queue) => isIn(queue) !== isIn(known.get(queue.queue_id)));
    const texts = [
      ...moved.map((queue) => say(isIn(queue) ? 'now_in' : 'now_out', { queue: queue.queue })),
      ...((now.pause === null) === (before.pause === null)
        ? []
        : [say(now.pause === null ? 'now_unpaused' : 'now_paused')]),
      ...(now.state === 'wrap_up' && before.state !== 'wrap_up' ? [say('wrap_up_began')] : []),
    ];
    if (texts.length > 0) this.#announcer.textContent = texts.join(' ');
  }

  #refused(refusal: Refused): void {
    this.#state.stop();
    // The person sees no queues.
    if (refusal.status !== 401) {
      this.element.hidden = true;
      return;
    }
    this.#note.over();
  }
}
