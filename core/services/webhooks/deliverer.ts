import type { Database } from '../../data/database.js';
import {
  buryPending,
  claimDeliveries,
  settleDeliveries,
  type AttemptOutcome,
  type ClaimedDelivery,
} from '../../data/repositories/webhook-lanes.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { OutboundHttp } from '../../ports/outbound-http.js';
import { Batcher } from './batcher.js';
import { Lane } from './lane.js';
import { eventText, type MessageSigner } from './message.js';
import { failedToSend, outcomeOf, undeliverable } from './outcome.js';
import { FAILING_LIMIT_MS } from './retry.js';

/** Is told how deliveries go, for the metrics. */
export interface DeliveryObserver {
  attempted(result: 'delivered' | 'retried' | 'dead', durationMs: number): void;
  endpointDisabled(reason: 'gone' | 'failing'): void;
}

export interface DelivererOptions {
  readonly db: Database;
  readonly http: OutboundHttp;
  readonly signer: MessageSigner;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: DeliveryObserver;
  /** Requests under way to one receiver; 32 by default. */
  readonly parallel?: number;
  /** The limit of one request; 10 s by default. */
  readonly timeoutMs?: number;
  /** For the jitter. */
  readonly random?: () => number;
}

const SETTLE_AGAIN_MS = 250;
const LANES_A_CLAIM = 200;
const OUTCOMES_A_SETTLE = 500;
/** The database's clock and ours need not agree to the millisecond. */
const DUE_TOLERANCE_MS = 100;

/**
 * Sends what is due, lane by lane. Lanes share nothing but the round trips to the database, so a receiver that is slow or dead holds up
 * nobody else; within a lane up to `parallel` requests are under way, the events of one call one after another.
 *
 * A delivery is claimed just before it is sent and for twice the request's limit: what a killed process had claimed is sent
 * again, with the same id and the same bytes, as soon as that has passed.
 */
export class Deliverer {
  readonly #lanes = new Map<string, Lane>();
  readonly #working = new Map<Lane, Promise<void>>();
  readonly #claims: Batcher<Lane, ClaimedDelivery[]>;
  readonly #settlements: Batcher<AttemptOutcome, undefined>;
  readonly #parallel: number;
  readonly #timeoutMs: number;
  readonly #random: () => number;
  #stopping = false;

  constructor(private readonly options: DelivererOptions) {
    this.#parallel = options.parallel ?? 32;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#random = options.random ?? Math.random;
    this.#claims = new Batcher((lanes) => this.#claim(lanes), LANES_A_CLAIM);
    this.#settlements = new Batcher((outcomes) => this.#settle(outcomes), OUTCOMES_A_SETTLE);
  }

  /** Look into a lane now, or again if it is being worked on. */
  wake(name: string): void {
    if (this.#stopping) return;
    const known = this.#lanes.get(name);
    if (known) {
      known.stir();
      return;
    }
    const lane = new Lane(name);
    this.#lanes.set(name, lane);
    this.#working.set(lane, this.#work(lane));
  }

  /** Resolves when nothing that is due is left in the lanes that were woken. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values());
  }

  /** Claims nothing more, and waits for the requests under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.idle();
  }

  async #work(lane: Lane): Promise<void> {
    for (;;) {
      // What happened until now is covered by the look that follows.
      lane.takeStir();
      const claimed = await this.#next(lane);
      for (const delivery of claimed) {
        lane.inFlight += 1;
        void this.#deliver(delivery).finally(() => {
          lane.inFlight -= 1;
          lane.stir();
        });
      }
      if (lane.takeStir()) continue;
      if (lane.inFlight === 0) break;
      await lane.stirring();
    }
    this.#lanes.delete(lane.name);
    this.#working.delete(lane);
  }

  async #next(lane: Lane): Promise<readonly ClaimedDelivery[]> {
    if (this.#stopping || lane.inFlight >= this.#parallel) return [];
    try {
      return await this.#claims.add(lane);
    } catch (error) {
      // The sweep looks again when the database is back.
      this.options.log.warn({ err: error, lane: lane.name }, 'webhook deliveries could not be claimed');
      return [];
    }
  }

  async #claim(lanes: readonly Lane[]): Promise<ClaimedDelivery[][]> {
    const now = this.options.clock.now().getTime();
    const wanted = lanes.map((lane) => ({ lane: lane.name, count: this.#parallel - lane.inFlight }));
    const lockedUntil = new Date(now + 2 * this.#timeoutMs);
    const claimed = await claimDeliveries(this.options.db, wanted, new Date(now + DUE_TOLERANCE_MS), lockedUntil);
    const byLane = new Map<string, ClaimedDelivery[]>(lanes.map((lane) => [lane.name, []]));
    for (const delivery of claimed) byLane.get(delivery.lane)?.push(delivery);
    return [...byLane.values()];
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await this.#attempt(delivery);
    if (outcome.attempt_id !== null) {
      const result = outcome.status === 'pending' ? 'retried' : outcome.status;
      this.options.observer.attempted(result, outcome.duration_ms);
    }
    const deadline = this.options.clock.monotonicMs() + this.#timeoutMs;
    for (;;) {
      try {
        await this.#settlements.add(outcome);
        return;
      } catch (error) {
        this.options.log.warn({ err: error, delivery: delivery.id }, 'a webhook delivery could not be settled');
        // The claim runs out soon, and the delivery is made once more: at least once is the promise.
        if (this.#stopping || this.options.clock.monotonicMs() > deadline) return;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS));
      }
    }
  }

  async #attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome> {
    if (delivery.endpoint_status === 'disabled') return undeliverable(delivery, this.options.clock.now());
    const secrets = [delivery.secret, ...(delivery.previous_secret === null ? [] : [delivery.previous_secret])];
    const body = eventText(delivery);
    const at = this.options.clock.now();
    try {
      const result = await this.options.http.post({
        url: delivery.url,
        headers: this.options.signer.headers(delivery.event_id, body, at, secrets),
        body,
        timeoutMs: this.#timeoutMs,
        readBody: false,
      });
      return outcomeOf(delivery, result, at, this.#random());
    } catch (error) {
      this.options.log.error({ err: error, delivery: delivery.id }, 'a webhook could not be made');
      return failedToSend(delivery, at, this.#random());
    }
  }

  async #settle(outcomes: readonly AttemptOutcome[]): Promise<undefined[]> {
    const { db, clock, log, observer } = this.options;
    const now = clock.now();
    const disabled = await settleDeliveries(db, outcomes, now, new Date(now.getTime() - FAILING_LIMIT_MS));
    for (const endpoint of disabled) {
      observer.endpointDisabled(endpoint.disabled_reason);
      log.warn(
        { endpoint: endpoint.id, project: endpoint.project_id, reason: endpoint.disabled_reason },
        'a webhook endpoint was disabled',
      );
    }
    if (disabled.length > 0) {
      await buryPending(
        db,
        disabled.map((endpoint) => endpoint.id),
      );
    }
    return outcomes.map(() => undefined);
  }
}
