import type { Database } from '../../data/database.js';
import {
  claimDeliveries,
  settleDeliveries,
  type AttemptOutcome,
  type ClaimedDelivery,
} from '../../data/repositories/webhooks/webhook-lanes.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { OutboundHttp } from '../../ports/outbound-http.js';
import { Batcher } from '../runtime/batcher.js';
import { disableEndpoint } from './disable.js';
import { Lane } from './lane.js';
import { eventText, unmaskedData, type MessageSigner } from './message.js';
import { failedToSend, outcomeOf, released, undeliverable } from './outcome.js';
import { FAILING_LIMIT_MS } from './retry.js';

/** Receives delivery results for metrics. */
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
  /** Maximum concurrent requests per lane; default 20. */
  readonly parallel?: number;
  /** Timeout of one request; default 10 s. */
  readonly timeoutMs?: number;
  /** Random source for the jitter. */
  readonly random?: () => number;
}

const STORE_RETRY_MS = 250;
const MAX_LANES_PER_CLAIM = 200;
const MAX_OUTCOMES_PER_STORE = 500;
/** Results are collected for a moment and stored together; only the next event of the same call waits for this. */
const STORE_GATHER_MS = 5;
/**
 * Duration of a claim in request timeouts: one to start the request and store its result, one for the request itself.
 */
const CLAIM_TIMEOUTS = 2;
/** For a receiver that answers faster than this, deliveries are claimed ahead. */
const FAST_MS = 1000;
/** How long the deliveries that are claimed ahead take to send, at most. */
const AHEAD_MS = 2000;
/** More would be late for everybody else if this process were killed. */
const MOST_AHEAD = 9;
/** A part of the deliveries that a lane may hold: with as few left, more are claimed. */
const FEW_LEFT = 1 / 4;
/** The allowed difference between the database's clock and ours. */
const DUE_TOLERANCE_MS = 100;

/**
 * Sends due deliveries, lane by lane. Lanes share only the round trips to the database, so that a slow or dead receiver
 * delays no other. Within a lane up to `parallel` requests run concurrently; the events of one call are sent one after
 * another.
 *
 * A delivery is claimed shortly before it is sent, for twice the request timeout. What a killed process had claimed is
 * sent again after that time, with the same id and the same bytes.
 */
export class Deliverer {
  readonly #lanes = new Map<string, Lane>();
  readonly #working = new Map<Lane, Promise<void>>();
  readonly #claims: Batcher<Lane, ClaimedDelivery[]>;
  readonly #results: Batcher<AttemptOutcome>;
  readonly #parallel: number;
  readonly #timeoutMs: number;
  readonly #random: () => number;
  #stopping = false;

  constructor(private readonly options: DelivererOptions) {
    this.#parallel = options.parallel ?? 20;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#random = options.random ?? Math.random;
    this.#claims = new Batcher((lanes) => this.#claim(lanes), { maxItems: MAX_LANES_PER_CLAIM });
    this.#results = new Batcher((outcomes) => this.#store(outcomes), {
      maxItems: MAX_OUTCOMES_PER_STORE,
      gatherMs: STORE_GATHER_MS,
    });
  }

  /** Checks a lane for due deliveries now, or once more if it is already being worked on. */
  wake(name: string): void {
    if (this.#stopping) return;
    const active = this.#lanes.get(name);
    if (active) {
      active.signal();
      return;
    }
    const lane = new Lane(name);
    this.#lanes.set(name, lane);
    this.#working.set(lane, this.#work(lane));
  }

  /** Resolves when the woken lanes have no due deliveries left. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values());
  }

  /** Claims nothing more, and waits for running requests. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.idle();
  }

  async #work(lane: Lane): Promise<void> {
    for (;;) {
      // The claim below covers every signal so far.
      lane.takeSignal();
      const claimed = await this.#next(lane);
      if (claimed !== null) {
        lane.hasMore = claimed.length > 0 && claimed.length === lane.claimSize;
        lane.unstored += claimed.length;
        lane.queue.push(...claimed);
        this.#send(lane);
      }
      if (lane.takeSignal()) continue;
      if (lane.unstored === 0) break;
      await lane.nextSignal();
    }
    this.#lanes.delete(lane.name);
    this.#working.delete(lane);
  }

  /** @returns null if the lane may hold no more */
  async #next(lane: Lane): Promise<readonly ClaimedDelivery[] | null> {
    if (this.#stopping || !this.#hasRoom(lane)) return null;
    try {
      return await this.#claims.add(lane);
    } catch (error) {
      // The sweep retries when the database is available.
      this.options.log.warn({ err: error, lane: lane.name }, 'failed to claim webhook deliveries');
      return [];
    }
  }

  /**
   * How many deliveries to hold. For a fast receiver some are claimed ahead, so that no request waits for the database;
   * for a slow one none, so that no claim expires in the queue.
   */
  #capacity(lane: Lane): number {
    return (1 + lane.ahead) * this.#parallel;
  }

  /** How many more deliveries to claim. */
  #room(lane: Lane): number {
    return this.#capacity(lane) - lane.requests - lane.queue.length;
  }

  /** A claim passes all that is claimed and not stored yet, so that few claims of many cost less than many of few. */
  #hasRoom(lane: Lane): boolean {
    return lane.requests + lane.queue.length <= Math.max(this.#parallel / 2, this.#capacity(lane) * FEW_LEFT);
  }

  async #claim(lanes: readonly Lane[]): Promise<ClaimedDelivery[][]> {
    const now = this.options.clock.now().getTime();
    for (const lane of lanes) lane.claimSize = this.#room(lane);
    const requests = lanes.map((lane) => ({ lane: lane.name, count: lane.claimSize }));
    const lockedUntil = new Date(now + CLAIM_TIMEOUTS * this.#timeoutMs);
    const claimed = await claimDeliveries(this.options.db, requests, new Date(now + DUE_TOLERANCE_MS), lockedUntil);
    const byLane = new Map<string, ClaimedDelivery[]>(lanes.map((lane) => [lane.name, []]));
    for (const delivery of claimed) byLane.get(delivery.lane)?.push(delivery);
    return [...byLane.values()];
  }

  /** Starts as many requests as the limit allows. */
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
    if (outcome.attempt_id !== null) lane.ahead = aheadFor(outcome.duration_ms);
    this.#send(lane);
    // Claim the next deliveries while this result is being stored.
    if (lane.hasMore && this.#hasRoom(lane)) lane.signal();
    await this.#storeWithRetries(outcome);
    lane.unstored -= 1;
    lane.signal();
  }

  /**
   * Retries until the claim is about to expire; after that the delivery is sent again, because delivery is at least
   * once.
   */
  async #storeWithRetries(outcome: AttemptOutcome): Promise<void> {
    const deadlineMs = this.options.clock.monotonicMs() + this.#timeoutMs;
    for (;;) {
      try {
        await this.#results.add(outcome);
        return;
      } catch (error) {
        this.options.log.warn({ err: error, delivery: outcome.id }, 'failed to store the result of a webhook delivery');
        if (this.#stopping || this.options.clock.monotonicMs() > deadlineMs) return;
        await pause(this.options.clock, STORE_RETRY_MS);
      }
    }
  }

  async #attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome> {
    const at = this.options.clock.now();
    const leftMs = delivery.locked_until.getTime() - at.getTime();
    if (this.#stopping || leftMs < this.#timeoutMs) return released(delivery, at);
    if (delivery.endpoint_status === 'disabled') return undeliverable(delivery, at);
    const outcome = await this.#post(delivery, at);
    const result = outcome.status === 'pending' ? 'retried' : outcome.status;
    this.options.observer.attempted(result, outcome.duration_ms);
    return outcome;
  }

  async #post(delivery: ClaimedDelivery, at: Date): Promise<AttemptOutcome> {
    try {
      const { data, includes_number: includesNumber, customer_number: number } = delivery;
      const body = eventText({ ...delivery, data: includesNumber ? unmaskedData(data, number) : data });
      const result = await this.options.http.post({
        url: delivery.url,
        headers: this.#headers(delivery, body, at),
        body,
        timeoutMs: this.#timeoutMs,
        readBody: false,
      });
      return outcomeOf(delivery, result, at, this.#random());
    } catch (error) {
      this.options.log.error({ err: error, delivery: delivery.id }, 'failed to build a webhook message');
      return failedToSend(delivery, at, this.#random());
    }
  }

  #headers(delivery: ClaimedDelivery, body: string, at: Date): Record<string, string> {
    const { signer } = this.options;
    const { event_id, endpoint_id, sandbox, secret, previous_secret: previous } = delivery;
    if (endpoint_id === null) return signer.projectHeaders(event_id, body, at, { signing_secret: secret, sandbox });
    return signer.headers(event_id, body, at, previous === null ? [secret] : [secret, previous]);
  }

  async #store(outcomes: readonly AttemptOutcome[]): Promise<undefined> {
    const { db, clock, log, observer } = this.options;
    const now = clock.now();
    for (const failed of await settleDeliveries(db, outcomes, now, new Date(now.getTime() - FAILING_LIMIT_MS))) {
      const disabled = await disableEndpoint(db, failed, now);
      if (!disabled) continue;
      observer.endpointDisabled(failed.reason);
      log.warn(
        { endpoint: failed.id, project: disabled.projectId, reason: failed.reason },
        'webhook endpoint disabled',
      );
      for (const lane of disabled.lanes) this.wake(lane);
    }
  }
}

function aheadFor(durationMs: number): number {
  return durationMs < FAST_MS ? Math.min(MOST_AHEAD, Math.floor(AHEAD_MS / Math.max(1, durationMs))) : 0;
}
