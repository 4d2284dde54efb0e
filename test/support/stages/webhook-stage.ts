import { BullJobs } from '../../../adapters/jobs/bullmq.js';
import { GuardedHttpClient } from '../../../adapters/http/client.js';
import { CallWriter } from '../../../core/data/call-writer.js';
import type { EndpointOwner, EndpointScope } from '../../../core/data/repositories/webhooks/webhooks.js';
import type { CallRow, EventRow } from '../../../core/data/rows.js';
import type { CallStatus } from '../../../core/model/call/call.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import type { EventPattern } from '../../../core/model/events/index.js';
import type { Logger } from '../../../core/ports/logger.js';
import { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import { Deliverer, type DelivererOptions } from '../../../core/services/webhooks/deliverer.js';
import { WebhookEndpoints, type EndpointWithSecret } from '../../../core/services/webhooks/endpoints.js';
import { MessageSigner } from '../../../core/services/webhooks/message.js';
import { newSigningSecret } from '../../../core/services/webhooks/secret.js';
import { WebhookSweep } from '../../../core/services/webhooks/sweep.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { WebhookReceiver } from '../peers/receiver.js';
import { callRow, effectOf, eventOf, groundIn, insertRows, type Ground } from '../rows/rows.js';
import { testRedis, type TestRedis } from '../platform/redis.js';

export const TEST_SECRET = 'a secret of the installation for tests only';

/** The virtual clock is ahead of the database's, so that what the database makes due now is due. */
const AHEAD_MS = 60_000;

/** The live keys of a project. */
export function liveOwner({ projectId }: Pick<Ground, 'projectId'>): EndpointOwner & EndpointScope {
  return { projectId, sandbox: false, sandboxOnly: false };
}

export interface StageOptions {
  readonly redisUrl?: string;
  readonly delivery?: Partial<DelivererOptions>;
}

/** Everything between a call's events and a receiver, on a real PostgreSQL and Redis, with a virtual clock. */
export class WebhookStage {
  readonly clock = new VirtualClock(new Date(Date.now() + AHEAD_MS));
  readonly cipher = new Cipher(TEST_SECRET);
  readonly signer = new MessageSigner(this.cipher);
  readonly http = new GuardedHttpClient({ allowLoopback: true });
  readonly log = silentLog();
  readonly projectSecret = newSigningSecret();
  /** Lanes that the writer reported. */
  readonly reportedLanes: string[] = [];
  readonly observed: string[] = [];
  readonly writer: CallWriter;
  readonly jobs: BullJobs;
  readonly endpoints: WebhookEndpoints;
  readonly deliveries: DeliveryLog;
  readonly deliverer: Deliverer;
  readonly sweep: WebhookSweep;

  private constructor(
    readonly database: TestDatabase,
    readonly redis: TestRedis,
    readonly ground: Ground,
    options: StageOptions,
  ) {
    const { db } = database;
    const { clock, signer, http, cipher, log } = this;
    this.writer = new CallWriter(db);
    this.jobs = new BullJobs({ redisUrl: options.redisUrl ?? redis.url, log, prefix: `test-${ground.projectId}` });
    this.endpoints = new WebhookEndpoints({ db, http, signer, cipher, clock });
    this.deliverer = this.newDeliverer(options.delivery);
    const wake = (lane: string): void => this.deliverer.wake(lane);
    this.deliveries = new DeliveryLog({ db, jobs: this.jobs, clock, wake: (lanes) => lanes.forEach(wake) });
    this.sweep = new WebhookSweep({ db, clock, wake });
    this.writer.onLanes((lanes) => this.reportedLanes.push(...lanes));
  }

  /** The live keys of the project. */
  get owner(): EndpointOwner & EndpointScope {
    return liveOwner(this.ground);
  }

  static async start(options: StageOptions = {}): Promise<WebhookStage> {
    const [database, redis] = await Promise.all([testDatabase(), testRedis()]);
    const ground = await groundIn(database.db);
    const stage = new WebhookStage(database, redis, ground, options);
    await database.db.query(`UPDATE projects SET signing_secret = $1`, [stage.cipher.seal(stage.projectSecret)]);
    return stage;
  }

  /** Another worker, by default on the stage's clock. */
  newDeliverer(changes: Partial<DelivererOptions> = {}): Deliverer {
    const { http, signer, clock, log } = this;
    return new Deliverer({
      db: this.database.db,
      http,
      signer,
      clock,
      log,
      random: () => 0,
      observer: {
        attempted: (result) => this.observed.push(result),
        endpointDisabled: (reason) => this.observed.push(`disabled:${reason}`),
      },
      ...changes,
    });
  }

  /** Another project, with its own endpoints. */
  async otherProject(): Promise<Ground> {
    return groundIn(this.database.db);
  }

  /** Creates an endpoint like the API, with a challenge to the receiver. */
  async endpoint(url: string, events: readonly EventPattern[] = ['*']): Promise<EndpointWithSecret> {
    return this.endpoints.create(this.owner, { url, events, description: null });
  }

  /** Commits a call that passes through these statuses, each with its event. */
  async commitCall(statuses: readonly CallStatus[], changes: Partial<CallRow> = {}): Promise<CallRow> {
    let call = callRow(this.ground, { last_sequence: 0, ...changes });
    for (const status of statuses) {
      call = { ...call, status, last_sequence: call.last_sequence + 1 };
      await this.writer.commit(effectOf(call, { events: [callEvent(call)] }));
    }
    return call;
  }

  /** Inserts many events without a call directly, which is faster than the writer. */
  async insertEvents(count: number, endpointId: string, changes: Partial<EventRow> = {}): Promise<void> {
    const { db } = this.database;
    const call = callRow(this.ground);
    const events = Array.from({ length: count }, () =>
      eventOf(call, { call_id: null, sequence: null, type: 'number.assigned', ...changes }),
    );
    await insertRows(db, 'events', events);
    await db.query(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, lane, project_id, next_attempt_at)
       SELECT uuid_v7(), id, $1::uuid, $1::uuid::text, project_id, now() FROM events WHERE id = ANY($2::uuid[])`,
      [endpointId, events.map(({ id }) => id)],
    );
  }

  /** Advances the clock, runs the sweep and waits for all due deliveries. */
  async pass(ms = 0): Promise<void> {
    await this.clock.advance(ms);
    await this.sweep.run();
    await this.deliverer.idle();
  }

  /** The delivery rows of an endpoint, oldest first. */
  async rows(endpointId: string): Promise<readonly DeliveryState[]> {
    return this.database.db.query<DeliveryState>(
      `SELECT d.id, e.type, d.call_id, d.sequence, d.status, d.attempts, d.next_attempt_at, d.last_error, d.event_id
       FROM webhook_deliveries AS d JOIN events AS e ON e.id = d.event_id WHERE d.endpoint_id = $1 ORDER BY e.id`,
      [endpointId],
    );
  }

  /** The time from now until the delivery's next attempt. */
  waitOf(row: DeliveryState): number {
    return row.next_attempt_at.getTime() - this.clock.now().getTime();
  }

  /** Restores the initial state, except for the clock. */
  async reset(): Promise<void> {
    await this.database.db.query('TRUNCATE webhook_attempts, webhook_deliveries, webhook_endpoints, events');
    this.reportedLanes.length = 0;
    this.observed.length = 0;
  }

  async close(): Promise<void> {
    await this.deliverer.stop();
    await this.jobs.close();
    await this.http.close();
    await this.database.close();
    await this.redis.close();
  }
}

export interface DeliveryState {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly call_id: string | null;
  readonly sequence: number | null;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly last_error: string | null;
}

/** The event of a call's status, as the call's owner writes it. */
export function callEvent(call: CallRow, changes: Partial<EventRow> = {}): EventRow {
  return eventOf(call, {
    data: { call_id: call.id, status: call.status, sequence: call.last_sequence, metadata: call.metadata },
    ...changes,
  });
}

export function silentLog(): Logger {
  const nothing = (): void => undefined;
  const log: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => log };
  return log;
}

/**
 * For a `describe`: one stage for all tests, and for each test a receiver with an endpoint for all events.
 * @param use receives them before each test; `endpoint` is the endpoint's id
 */
export function deliveryEach(
  use: (stage: WebhookStage, receiver: WebhookReceiver, endpoint: string) => void,
  path = '/',
): void {
  let stage: WebhookStage;
  let receiver: WebhookReceiver;

  before(async () => {
    stage = await WebhookStage.start();
  });
  after(() => stage.close());
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    const { endpoint, secret } = await stage.endpoint(receiver.url(path));
    receiver.trust(secret);
    // The challenge was signed before the secret was known.
    receiver.requests.length = 0;
    use(stage, receiver, endpoint.id);
  });
  afterEach(async () => {
    await receiver.close();
    await stage.deliverer.idle();
    await stage.reset();
  });
}
