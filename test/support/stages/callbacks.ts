import { expect } from 'chai';
import type { Route } from '../../../api/http/route.js';
import { callbackRoutes } from '../../../api/routes/calls/callbacks.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Callbacks } from '../../../core/data/repositories/calls/callbacks.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { timelineOf } from '../../../core/data/repositories/calls/timeline.js';
import { ReadCalls } from '../../../core/services/calls/read.js';
import { CallWriter } from '../../../core/data/call-writer.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { findTrialStart, sandboxSecondsUsed } from '../../../core/data/repositories/accounts/sandbox-trials.js';
import { Queues } from '../../../core/data/repositories/queues/queues.js';
import { VirtualNumbers } from '../../../core/data/repositories/numbers/virtual-numbers.js';
import { Registrations } from '../../../core/data/repositories/engines/registrations.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import type { Destination } from '../../../core/data/rows.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import { CancelCallback } from '../../../core/services/callbacks/cancel.js';
import { PickEngine } from '../../../core/services/engines/pick.js';
import { LegGate } from '../../../core/services/dialling/leg-gate.js';
import { PlaceCallback } from '../../../core/services/callbacks/place.js';
import { CallbackQueues } from '../../../core/services/callbacks/queue.js';
import type { CallbackObject, PlacedCallback } from '../../../core/services/callbacks/present.js';
import { ReadCallbacks } from '../../../core/services/callbacks/read.js';
import { Placement } from '../../../core/services/calls/placement.js';
import type { CallVelocity, VelocitySubject } from '../../../core/services/dialling/velocity.js';
import { SystemCall } from '../../../core/services/calls/system-call.js';
import { DirectoryRouting } from '../../../core/services/routing/destinations.js';
import { CachedDirectory } from '../../../core/services/routing/directory.js';
import { SandboxTrial } from '../../../core/services/sandbox/trial.js';
import { urlInvalid } from '../../../core/services/webhooks/url.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { testApi, type Answer, type RequestOptions, type TestApi } from '../api.js';
import { callControllerRig, type CallControllerRig } from './call-controller.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { quiet } from '../logger.js';

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
export class CallbackStage {
  /** Replaces the command bus in one test. */
  send: CommandBus['send'] | null = null;
  /** The limit of calls per time; none by default. */
  velocity: CallVelocity = { take: () => Promise.resolve() };

  private constructor(
    readonly database: TestDatabase,
    readonly clock: VirtualClock,
    readonly phones: CallControllerRig,
    readonly sandbox: CallControllerRig,
    readonly api: TestApi,
    readonly routes: readonly Route[],
    readonly liveKey: string,
    readonly sandboxKey: string,
  ) {}

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
    await db.query(`UPDATE engines SET status = 'unreachable'`);
    const clock = new VirtualClock(new Date());
    const phones = await callControllerRig(db, { clock });
    const sandbox = await callControllerRig(db, { clock, sandbox: true });
    await db.query(
      `UPDATE engines SET owner = 'test', lease_expires_at = now() + interval '1 day',
         kind = CASE WHEN id = $1 THEN 'simulator' ELSE 'asterisk' END
       WHERE status = 'up'`,
      [sandbox.ground.engineId],
    );
    const { projectId } = phones.ground;
    const projects = new Projects(db);
    await projects.setMainNumber(projectId, phones.line);
    await projects.setDefaultDestination(projectId, destination);
    const rigs = new Map([phones, sandbox].map((rig) => [rig.ground.engineId, rig]));
    const bus: CommandBus = {
      send: (engineId, command) =>
        (stage.send ?? ((id, given) => rigs.get(id)!.controller.command(given)))(engineId, command),
      serve: () => Promise.reject(new Error('is not used')),
      close: () => Promise.resolve(),
    };
    const directory = new CachedDirectory(
      new Numbers(db),
      new Agents(db),
      new Trunks(db),
      projects,
      new Registrations(db),
      new Queues(db),
      new VirtualNumbers(db),
      new Callflows(db),
    );
    const enginesTable = new Engines(db);
    const callbacks = new Callbacks(db);
    const { credit } = phones;
    const velocity = { take: (call: VelocitySubject) => stage.velocity.take(call) };
    const gate = new LegGate({
      directory,
      velocity,
      credit,
      liveCalls: (id, except) => phones.calls.countLive(id, except),
    });
    const placement = new Placement({ directory, writer: new CallWriter(db), bus, gate, credit, clock, log: quiet });
    const routing = new DirectoryRouting(directory);
    const sandboxTrial = new SandboxTrial(
      {
        startOf: (id) => findTrialStart(db, id),
        secondsUsed: (id, now) => sandboxSecondsUsed(db, id, now),
      },
      trial,
    );
    const engines = new PickEngine({
      offers: (kinds) => enginesTable.offers(kinds),
      placesOf: (aor) => directory.placesOf(aor),
    });
    const place = new PlaceCallback({
      placement,
      queues: new CallbackQueues({ queues: new Queues(db), coordinator: phones.queues.coordinator }),
      directory,
      velocity: { take: (call) => stage.velocity.take(call) },
      routing,
      trial: sandboxTrial,
      clock,
      engines,
      checkWebhookUrl: (url) => {
        if (!url.startsWith('https:')) throw urlInvalid('not_https');
      },
    });
    const systemCall = new SystemCall({ placement, routing, engines, trial: sandboxTrial, clock });
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
    const stage: CallbackStage = new CallbackStage(database, clock, phones, sandbox, api, routes, live.key, sand.key);
    return stage;
  }

  /** Requests a callback, with the live key by default. */
  post(json: object, options: RequestOptions = {}): Promise<Answer> {
    return this.api.request('POST', '/v1/callback', { key: this.liveKey, json, ...options });
  }

  /** Requests a callback, which must be accepted. */
  async placed(to: string, key = this.liveKey): Promise<PlacedCallback> {
    const answer = await this.post({ to }, { key });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body as unknown as PlacedCallback;
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
    await this.phones.controller.stop();
    await this.sandbox.controller.stop();
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
