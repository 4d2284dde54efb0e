import { expect } from 'chai';
import type { Route } from '../../../api/http/route.js';
import { callbackRoutes } from '../../../api/routes/calls/callbacks.js';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { Callbacks } from '../../../core/data/repositories/calls/callbacks.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { timelineOf } from '../../../core/data/repositories/calls/timeline.js';
import { ReadCalls } from '../../../core/services/calls/read.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { Queues } from '../../../core/data/repositories/queues/queues.js';
import type { Destination } from '../../../core/data/rows.js';
import { systemClock } from '../../../core/ports/clock.js';
import { newId } from '../../../core/model/ids.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import { CancelCallback } from '../../../core/services/callbacks/cancel.js';
import { PlaceCallback } from '../../../core/services/callbacks/place.js';
import { CallbackQueues } from '../../../core/services/callbacks/queue.js';
import type { CallbackObject, PlacedCallback } from '../../../core/services/callbacks/present.js';
import { ReadCallbacks } from '../../../core/services/callbacks/read.js';
import type { CallVelocity } from '../../../core/services/dialling/velocity.js';
import type { SystemCall } from '../../../core/services/calls/system-call.js';
import { urlInvalid } from '../../../core/services/webhooks/url.js';
import type { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { testApi, type Answer, type RequestOptions, type TestApi } from '../api.js';
import { CUSTOMER, type CallControllerRig } from './call-controller.js';
import { insertRows, projectRow } from '../rows/rows.js';
import { OnPlacingStage, placingStage, type PlacingStage } from './placing-stage.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';

/** Parts of the stage that additional routes may use. */
export interface StageParts {
  readonly database: TestDatabase;
  readonly clock: VirtualClock;
  readonly place: PlaceCallback;
  readonly callbacks: Callbacks;
  readonly systemCall: SystemCall;
}

/**
 * The routes of callbacks on a real port and database, over two simulated engines on one virtual clock: one for real
 * telephones (`phones`), one for the sandbox.
 */
export class CallbackStage extends OnPlacingStage {
  /** Replaces the command bus in one test. */
  send: CommandBus['send'] | null = null;
  /** The limit of calls per time; none by default. */
  velocity: CallVelocity = { take: () => Promise.resolve() };

  private constructor(
    readonly database: TestDatabase,
    placing: PlacingStage,
    readonly api: TestApi,
    readonly routes: readonly Route[],
    readonly liveKey: string,
    readonly sandboxKey: string,
  ) {
    super(placing);
  }

  /**
   * Engines that other stages left on the database become unreachable.
   * @param destination the project's default destination
   * @param more additional routes
   */
  static async start(
    database: TestDatabase,
    destination: Destination | null = { type: 'agent', target: '1001' },
    trial = { days: 30, minutes: 100 },
    more: (parts: StageParts) => readonly Route[] = () => [],
  ): Promise<CallbackStage> {
    const { db } = database;
    const placing = await placingStage(db, {
      trial,
      send: () => stage.send,
      velocity: { take: (call) => stage.velocity.take(call) },
    });
    const { clock, phones, bus, directory, placement, routing, engines, systemCall } = placing;
    const { projectId } = phones.ground;
    await new Projects(db).setDefaultDestination(projectId, destination);
    const callbacks = new Callbacks(db);
    const place = new PlaceCallback({
      placement,
      queues: new CallbackQueues({ queues: new Queues(db), coordinator: phones.queues.coordinator }),
      directory,
      activeFlow: (of, id) => new Callflows(db).findActive(of, id),
      destinations: placing.destinations,
      numbers: new Numbers(db),
      velocity: { take: (call) => stage.velocity.take(call) },
      routing,
      trial: placing.trial,
      clock,
      engines,
      checkWebhookUrl: (url) => {
        if (!url.startsWith('https:')) throw urlInvalid('not_https');
      },
    });
    const routes = callbackRoutes({
      place,
      read: new ReadCallbacks(callbacks, clock),
      cancel: new CancelCallback({ callbacks, bus, clock: systemClock }),
      calls: new ReadCalls(new Calls(db), (callId) => timelineOf(db, callId)),
    });
    const api = await testApi({
      db,
      routes: [...routes, ...more({ database, clock, place, callbacks, systemCall })],
      limits: { sandboxPerMinute: 100_000 },
    });
    const live = await api.key({ projectId });
    const sand = await api.key({ projectId, kind: 'sandbox' });
    const stage: CallbackStage = new CallbackStage(database, placing, api, routes, live.key, sand.key);
    return stage;
  }

  /** Requests a callback, with the live key by default. */
  post(json: object, options: RequestOptions = {}): Promise<Answer> {
    return this.api.request('POST', '/v1/callback', { key: this.liveKey, json, ...options });
  }

  /** Requests a callback, which must be accepted. */
  placed(to: string, key = this.liveKey): Promise<PlacedCallback> {
    return this.accepted({ to }, key);
  }

  /** The same, with all members of the request. */
  async accepted(json: object, key = this.liveKey): Promise<PlacedCallback> {
    const answer = await this.post(json, { key });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body as unknown as PlacedCallback;
  }

  /** Requests a callback to the customer from the queue `sales`, or with these members; returns its id. */
  async placedFromQueue(json: object = { from_queue: 'sales' }): Promise<string> {
    return (await this.accepted({ to: CUSTOMER, ...json })).callback_id;
  }

  /** Creates a key of another project in the same organization. */
  async neighbourKey(): Promise<string> {
    const ground = { ...this.phones.ground, projectId: newId() };
    await insertRows(this.database.db, 'projects', [projectRow(ground)]);
    return (await this.api.key({ projectId: ground.projectId })).key;
  }

  async read(id: string, key = this.liveKey): Promise<CallbackObject> {
    const answer = await this.api.request('GET', `/v1/callbacks/${id}`, { key });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body as unknown as CallbackObject;
  }

  delete(id: string, key = this.liveKey): Promise<Answer> {
    return this.api.request('DELETE', `/v1/callbacks/${id}`, { key });
  }

  /** Cancels without advancing virtual time; only what the cancellation itself causes happens. */
  async cancel(rig: CallControllerRig, id: string, key = this.liveKey): Promise<Answer> {
    const progress = { done: false };
    const asked = this.delete(id, key).finally(() => (progress.done = true));
    // The engine's events of the end are due at once; nothing later happens.
    while (!progress.done) {
      await rig.settle();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return asked;
  }

  /** Throws unless all responses match the route definitions and no call made an illegal move. */
  assertSound(): void {
    expect(this.api.faults).to.deep.equal([]);
    expect([...this.sandbox.illegalMoves, ...this.phones.illegalMoves]).to.deep.equal([]);
  }

  async close(): Promise<void> {
    await this.placing.close();
    await this.api.close();
  }
}

/**
 * For a `describe`: a new stage for each test, on one database for all tests; calls `assertSound` after each test.
 * @param use receives the stage before each test
 */
export function callbackEach(use: (stage: CallbackStage) => void): void {
  stageEach(
    (database) => CallbackStage.start(database),
    use,
    async (stage) => {
      stage.assertSound();
      await stage.close();
    },
  );
}
