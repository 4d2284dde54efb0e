import type { Database } from '../../data/database.js';
import {
  deadLetterPending,
  claimDeliveries,
  settleDeliveries,
  type AttemptOutcome,
  type ClaimedDelivery,
} from '../../data/repositories/webhooks/webhook-lanes.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { OutboundHttp } from '../../ports/outbound-http.js';
import { Batcher } from './batcher.js';
import { Lane } from './lane.js';
import { eventText, type MessageSigner } from './message.js';
import { failedToSend, givenBack, outcomeOf, undeliverable } from './outcome.js';
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
  /** Requests under way to one receiver; 20 by default. */
  readonly parallel?: number;
  /** The limit of one request; 10 s by default. */
  readonly timeoutMs?: number;
  /** For the jitter. */
  readonly random?: () => number;
}

const SETTLE_AGAIN_MS = 250;
const LANES_A_CLAIM = 200;
const OUTCOMES_A_SETTLE = 500;
/** A settlement that waits a moment takes others along; only the next event of its own call waits for it. */
const SETTLE_GATHER_MS = 5;
/** How long a claim holds, in limits of a request: one to begin it and to write it down, one for itself. */
const CLAIM_IN_LIMITS = 2;
/** Of a request: quicker than this is a receiver that keeps up. */
const FAST_MS = 1000;
/** The database's clock and ours need not agree to the millisecond. */
const DUE_TOLERANCE_MS = 100;

/**
 * Sends what is due, lane by lane. Lanes share nothing but the round trips to the database, so a receiver that is slow or dead holds up
 * nobody else; within a lane up to `parallel` requests are under way, the events of one call one after another.
 *
 * A delivery is claimed shortly before it is sent, for twice the request's limit: what a killed process had claimed is sent again,
 * with the same id and the same bytes, as soon as that has passed.
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
    this.#parallel = options.parallel ?? 20;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#random = options.random ?? Math.random;
    this.#claims = new Batcher((lanes) => this.#claim(lanes), LANES_A_CLAIM);
    this.#settlements = new Batcher((outcomes) => this.#settle(outcomes), OUTCOMES_A_SETTLE, SETTLE_GATHER_MS);
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
      lane.hasMore = claimed.length > 0 && claimed.length === lane.asked;
      lane.unsettled += claimed.length;
      lane.queue.push(...claimed);
      this.#send(lane);
      if (lane.takeStir()) continue;
      if (lane.unsettled === 0) break;
      await lane.stirring();
    }
    this.#lanes.delete(lane.name);
    this.#working.delete(lane);
  }

  async #next(lane: Lane): Promise<readonly ClaimedDelivery[]> {
    if (this.#stopping || !this.#hasRoom(lane)) return [];
    try {
      return await this.#claims.add(lane);
    } catch (error) {
      // The sweep looks again when the database is back.
      this.options.log.warn({ err: error, lane: lane.name }, 'webhook deliveries could not be claimed');
      return [];
    }
  }

  /**
   * How many more to claim. For a receiver that is quick twice as many as are under way are claimed ahead, so that no request waits for
   * the database; for a slow one none, so that no claim runs out in the queue.
   */
  #room(lane: Lane): number {
    return (lane.isFast ? 3 : 1) * this.#parallel - lane.requests - lane.queue.length;
  }

  #hasRoom(lane: Lane): boolean {
    return this.#room(lane) >= this.#parallel / 2;
  }

  async #claim(lanes: readonly Lane[]): Promise<ClaimedDelivery[][]> {
    const now = this.options.clock.now().getTime();
    for (const lane of lanes) lane.asked = this.#room(lane);
    const wanted = lanes.map((lane) => ({ lane: lane.name, count: lane.asked }));
    const lockedUntil = new Date(now + CLAIM_IN_LIMITS * this.#timeoutMs);
    const claimed = await claimDeliveries(this.options.db, wanted, new Date(now + DUE_TOLERANCE_MS), lockedUntil);
    const byLane = new Map<string, ClaimedDelivery[]>(lanes.map((lane) => [lane.name, []]));
    for (const delivery of claimed) byLane.get(delivery.lane)?.push(delivery);
    return [...byLane.values()];
  }

  /** Begin as many requests as there is place for. */
  #send(lane: Lane): void {
    while (lane.requests < this.#parallel) {
      const delivery = lane.queue.shift();
      if (!delivery) return;
      lane.requests += 1;
      void this.#deliver(lane, delivery);
    }
  }

  async #deliver(lane: Lane, delivery: ClaimedDelivery): Promise<void> {
    const outcome = await this.#attempt(delivery);
    lane.requests -= 1;
    lane.isFast = outcome.duration_ms < FAST_MS;
    this.#send(lane);
    // The next are claimed while this one is written down.
    if (lane.hasMore && this.#hasRoom(lane)) lane.stir();
    await this.#settleSurely(outcome);
    lane.unsettled -= 1;
    lane.stir();
  }

  /** Tries until the claim is near its end; then the delivery is made once more: at least once is the promise. */
  async #settleSurely(outcome: AttemptOutcome): Promise<void> {
    const deadlineMs = this.options.clock.monotonicMs() + this.#timeoutMs;
    for (;;) {
      try {
        await this.#settlements.add(outcome);
        return;
      } catch (error) {
        this.options.log.warn({ err: error, delivery: outcome.id }, 'a webhook delivery could not be settled');
        if (this.#stopping || this.options.clock.monotonicMs() > deadlineMs) return;
        await pause(this.options.clock, SETTLE_AGAIN_MS);
      }
    }
  }

  async #attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome> {
    const at = this.options.clock.now();
    const leftMs = delivery.locked_until.getTime() - at.getTime();
    if (this.#stopping || leftMs < this.#timeoutMs) return givenBack(delivery, at);
    if (delivery.endpoint_status === 'disabled') return undeliverable(delivery, at);
    const outcome = await this.#post(delivery, at);
    const result = outcome.status === 'pending' ? 'retried' : outcome.status;
    this.options.observer.attempted(result, outcome.duration_ms);
    return outcome;
  }

  async #post(delivery: ClaimedDelivery, at: Date): Promise<AttemptOutcome> {
    const secrets = [delivery.secret, ...(delivery.previous_secret === null ? [] : [delivery.previous_secret])];
    const body = eventText(delivery);
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
      await deadLetterPending(
        db,
        disabled.map((endpoint) => endpoint.id),
      );
    }
    return outcomes.map(() => undefined);
  }
}
