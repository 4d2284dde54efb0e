import type { Decision, QueueEvent, QueueRules } from '../../core/model/queue/types.js';
import { Random } from '../../test/chaos/random.js';

export const AGENTS = 1_000;
export const WAITING = 10_000;
/** Share of agents that talk; the others are between two calls. */
const BUSY = 0.9;
/** Share of offers. */
const REFUSED = 0.15;

interface Talk {
  readonly agent: string;
  readonly legId: string;
}

/**
 * Simulates a day with more callers than the agents can take: a new caller replaces each answered one, and agents hang
 * up, take the next call, or refuse it. Deterministic: events depend only on the seed and on the decisions.
 */
export class BusyDay {
  readonly #random = new Random(1);
  readonly #talks: Talk[] = [];
  #offers: { readonly callId: string; readonly agent: string }[] = [];
  #waiting = 0;
  #lastId = 0;

  constructor(private readonly queueIds: readonly string[]) {}

  /** Every agent logs in to two queues. */
  *begin(): Generator<QueueEvent> {
    for (let number = 0; number < AGENTS; number += 1) {
      const agent = `a${number}`;
      yield { type: 'agent_put', agent, priority: 1 + (number % 9) };
      yield { type: 'registration', agent, registered: true };
      for (const step of [0, 1]) yield { type: 'logged_in', agent, queueId: this.#queue(number + step) };
    }
    while (this.#waiting < WAITING) yield this.#callerEnters();
  }

  /** Whether the agents are as busy as {@link BUSY}. */
  get isBusy(): boolean {
    return this.#talks.length >= AGENTS * BUSY;
  }

  /** The outcome of every open offer; one other event if there is none. */
  nextBatch(): QueueEvent[] {
    return Array.from({ length: Math.max(1, this.#offers.length) }, () => this.next());
  }

  next(): QueueEvent {
    const offer = this.#offers.shift();
    if (offer) {
      if (this.#random.chance(REFUSED)) return { type: 'refused', ...offer, reason: 'rejected' };
      const legId = this.#newId();
      this.#talks.push({ agent: offer.agent, legId });
      return { type: 'answered', ...offer, legId };
    }
    if (this.#waiting < WAITING) return this.#callerEnters();
    const [talk] = this.#talks.splice(this.#random.between(0, this.#talks.length - 1), 1);
    return talk ? { type: 'leg_ended', ...talk } : { type: 'tick' };
  }

  observe(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      if (decision.type === 'offer') this.#offers.push({ callId: decision.callId, agent: decision.agent });
      else if (decision.type === 'ended_wait') this.#waiting -= 1;
      else if (decision.type === 'withdraw')
        this.#offers = this.#offers.filter(
          ({ callId, agent }) => callId !== decision.callId || agent !== decision.agent,
        );
    }
  }

  #callerEnters(): QueueEvent {
    this.#waiting += 1;
    return { type: 'entered', callId: this.#newId(), queueId: this.#queue(this.#lastId) };
  }

  #queue(number: number): string {
    return this.queueIds[number % this.queueIds.length] ?? '';
  }

  /** A UUID, which the database requires. */
  #newId(): string {
    this.#lastId += 1;
    return `00000000-0000-7000-8000-${this.#lastId.toString(16).padStart(12, '0')}`;
  }
}

/** Callers never overflow, and an agent who refused a call is soon available again. */
export function rulesOf(id: string, strategy: QueueRules['strategy']): QueueRules {
  return { ...{ id, strategy, wrapUpSeconds: 0, ringTimeoutSeconds: 20 }, ...LIMITS };
}

const LIMITS = { maxWaitSeconds: 7_200, maxLength: 1_000, unavailableSeconds: 1 } as const;
