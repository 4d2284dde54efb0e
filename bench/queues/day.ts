import type { Decision, QueueEvent, QueueRules } from '../../core/model/queue/types.js';
import { Random } from '../../test/chaos/random.js';

export const AGENTS = 1_000;
export const WAITING = 10_000;
/** Of agents, while some are between two calls. */
const BUSY = 0.9;
/** Of offers. */
const REFUSED = 0.15;

interface Talk {
  readonly agent: string;
  readonly legId: string;
}

/**
 * A day on which more callers come than agents can take: each caller who is answered is followed by another, and agents hang up, take the next, or
 * refuse. What happens follows from the seed and from what was decided.
 */
export class BusyDay {
  readonly #random = new Random(1);
  readonly #talks: Talk[] = [];
  #offers: { readonly callId: string; readonly agent: string }[] = [];
  #waiting = 0;
  #named = 0;

  constructor(private readonly queueIds: readonly string[]) {}

  /** Every agent is in two of the queues. */
  *begin(): Generator<QueueEvent> {
    for (let number = 0; number < AGENTS; number += 1) {
      const agent = `a${number}`;
      yield { type: 'agent_put', agent, priority: 1 + (number % 9) };
      yield { type: 'registration', agent, registered: true };
      for (const step of [0, 1]) yield { type: 'logged_in', agent, queueId: this.#queue(number + step) };
    }
    while (this.#waiting < WAITING) yield this.#comes();
  }

  /** Nearly every agent talks. */
  get isBusy(): boolean {
    return this.#talks.length >= AGENTS * BUSY;
  }

  /** What becomes of all offers, or one event where there are none. */
  several(): QueueEvent[] {
    return Array.from({ length: Math.max(1, this.#offers.length) }, () => this.next());
  }

  next(): QueueEvent {
    const offer = this.#offers.shift();
    if (offer) {
      if (this.#random.chance(REFUSED)) return { type: 'refused', ...offer, reason: 'rejected' };
      const legId = this.#name();
      this.#talks.push({ agent: offer.agent, legId });
      return { type: 'answered', ...offer, legId };
    }
    if (this.#waiting < WAITING) return this.#comes();
    const [talk] = this.#talks.splice(this.#random.between(0, this.#talks.length - 1), 1);
    return talk ? { type: 'leg_ended', ...talk } : { type: 'tick' };
  }

  follow(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      if (decision.type === 'offer') this.#offers.push({ callId: decision.callId, agent: decision.agent });
      else if (decision.type === 'ended_wait') this.#waiting -= 1;
      else if (decision.type === 'withdraw')
        this.#offers = this.#offers.filter(
          ({ callId, agent }) => callId !== decision.callId || agent !== decision.agent,
        );
    }
  }

  #comes(): QueueEvent {
    this.#waiting += 1;
    return { type: 'entered', callId: this.#name(), queueId: this.#queue(this.#named) };
  }

  #queue(number: number): string {
    return this.queueIds[number % this.queueIds.length] ?? '';
  }

  /** An id, as the database takes it. */
  #name(): string {
    this.#named += 1;
    return `00000000-0000-7000-8000-${this.#named.toString(16).padStart(12, '0')}`;
  }
}

/** Nobody is sent on, and who refused is soon there again. */
export function rulesOf(id: string, strategy: QueueRules['strategy']): QueueRules {
  return { ...{ id, strategy, wrapUpSeconds: 0, ringTimeoutSeconds: 20 }, ...LIMITS };
}

const LIMITS = { maxWaitSeconds: 7_200, maxLength: 1_000, unavailableSeconds: 1 } as const;
