import type { TransferObject } from '../../../core/model/objects/transfer.js';
import { expect } from 'chai';
import { controlRoutes } from '../../../api/routes/calls/call-control.js';
import { conferenceRoutes } from '../../../api/routes/calls/conferences.js';
import { monitorRoutes } from '../../../api/routes/calls/monitors.js';
import { transferRoutes } from '../../../api/routes/calls/transfers.js';
import type { Route } from '../../../api/http/route.js';
import { Conferences } from '../../../core/data/repositories/calls/conferences.js';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { Queues } from '../../../core/data/repositories/queues/queues.js';
import type { LegRow, TransferRow } from '../../../core/data/rows.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import { EngineError, type EngineErrorKind } from '../../../core/ports/engine.js';
import { ControlCall } from '../../../core/services/calls/control.js';
import { OwnCalls } from '../../../core/services/calls/own-calls.js';
import { PrepareAudio } from '../../../core/services/calls/prepare-audio.js';
import { TransferCall } from '../../../core/services/calls/transfer-call.js';
import { ControlConference } from '../../../core/services/conferences/control.js';
import { ReadConferences } from '../../../core/services/conferences/read.js';
import { MonitorCall } from '../../../core/services/monitoring/monitor-call.js';
import { DirectoryRouting } from '../../../core/services/routing/destinations.js';
import { AudioMediaStore } from '../../../adapters/media/index.js';
import { NoSpeech } from '../../../adapters/speech/index.js';
import { testApi, type Answer, type TestApi } from '../api.js';
import { callCommandOf } from '../calls/call-command.js';
import { callControllerRig, type CallControllerRig, type CallControllerRigOptions } from './call-controller.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { directoryOn } from '../rows/directory.js';

/** The target of transfers. */
export const TARGET = '+966559876543';

/** An uploaded audio file. */
export const AUDIO = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4a0d';

/** The legs of a call that tests transfer. */
export interface Parties {
  readonly callId: string;
  readonly customer: string;
  readonly agent: string;
}

/** The routes of transfers, conferences, control and monitoring, on a real port, a database and a simulated engine. */
export class TransferStage {
  private constructor(
    private readonly database: TestDatabase,
    readonly rig: CallControllerRig,
    readonly api: TestApi,
    readonly routes: readonly Route[],
    readonly key: string,
  ) {}

  static async start(database: TestDatabase, options: CallControllerRigOptions = {}): Promise<TransferStage> {
    const { db } = database;
    const rig = await callControllerRig(db, options);
    const bus: CommandBus = {
      send: (_engineId, command) => rig.controller.command(callCommandOf(command)),
      serve: () => Promise.reject(new Error('is not used')),
      close: () => Promise.resolve(),
    };
    const { calls } = rig;
    const directory = directoryOn(db);
    const routing = new DirectoryRouting(directory);
    const transfers = new TransferCall({
      calls,
      routingOf: () => routing,
      callflow: (of, id) => new Callflows(db).findActive(of, id),
      queue: (projectId, queueId) => new Queues(db).get(projectId, queueId),
      gate: rig.gate,
      bus,
    });
    const audio = new PrepareAudio({
      media: new AudioMediaStore({ dir: '/nowhere' }),
      speech: new NoSpeech(),
      clock: systemClock,
      hasAudio: (_projectId, audioId) => Promise.resolve(audioId === AUDIO),
    });
    const ownCalls = new OwnCalls(calls);
    ownCalls.attach({ live: (callId) => rig.controller.live(callId) });
    const control = new ControlCall({ calls: ownCalls, audio, bus });
    const conferences = new Conferences(db);
    const read = new ReadConferences(conferences);
    const controlConference = new ControlConference({ calls, conferences, read, control, audio, bus });
    const routes = [
      ...transferRoutes({ transfers }),
      ...monitorRoutes({ monitor: new MonitorCall({ calls, routingOf: () => routing, bus }) }),
      ...controlRoutes({ control, isOn: () => true }),
      ...conferenceRoutes({ read, control: controlConference }),
    ];
    const api = await testApi({ db, routes });
    const { key } = await api.key({ projectId: rig.ground.projectId });
    return new TransferStage(database, rig, api, routes, key);
  }

  async close(): Promise<void> {
    await this.rig.controller.stop();
    await this.api.close();
  }

  post(callId: string, path: string, json: object = {}): Promise<Answer> {
    return this.api.request('POST', `/v1/calls/${callId}/${path}`, { key: this.key, json });
  }

  /** Starts a transfer to {@link TARGET}, which must be accepted, and waits until the engine has processed it. */
  async transfer(callId: string, type: 'blind' | 'attended', json: object = {}): Promise<TransferObject> {
    const to = { type: 'number', target: TARGET };
    const answer = await this.post(callId, 'transfer', { type, to, ring_timeout_seconds: 20, ...json });
    if (answer.status !== 202) throw new Error(answer.text);
    await this.rig.settle();
    return answer.body as unknown as TransferObject;
  }

  /** Completes or cancels a transfer; the request must be accepted. */
  async finish({ call_id, transfer_id }: TransferObject, how: 'complete' | 'cancel'): Promise<TransferObject> {
    const answer = await this.post(call_id, `transfers/${transfer_id}/${how}`);
    if (answer.status !== 200) throw new Error(answer.text);
    await this.rig.settle();
    return answer.body as unknown as TransferObject;
  }

  async list(callId: string): Promise<TransferObject[]> {
    const answer = await this.api.request('GET', `/v1/calls/${callId}/transfers`, { key: this.key });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body?.data as TransferObject[];
  }

  legs(callId: string): Promise<LegRow[]> {
    return this.rig.legs(callId);
  }

  /** The role and status of each leg of the call. */
  async roles(callId: string): Promise<string[]> {
    return (await this.legs(callId)).map(({ role, status }) => `${role} ${status}`);
  }

  /** The newest leg, which is the transfer's target. */
  async target(callId: string): Promise<string> {
    return (await this.legs(callId)).at(-1)!.id;
  }

  /** The types of the timeline's transfer entries. */
  async noted(callId: string): Promise<string[]> {
    const rows = await this.database.db.query<{ type: string }>(
      `SELECT type FROM call_timeline WHERE call_id = $1 AND type ~ 'transfer' ORDER BY id`,
      [callId],
    );
    return rows.map(({ type }) => type);
  }

  /** The newest transfer of the call. */
  async newest(callId: string): Promise<TransferRow | undefined> {
    return (await this.rig.calls.transfersOf([callId])).at(-1);
  }

  /** Advances virtual time until the newest transfer has this status. */
  async until(callId: string, status: TransferRow['status']): Promise<TransferRow> {
    await this.rig.until(async () => (await this.newest(callId))?.status === status);
    await this.rig.settle();
    return (await this.newest(callId))!;
  }

  /** A call on which customer and agent talk. */
  async talking(): Promise<Parties> {
    const { rig } = this;
    const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
    await rig.untilBothAnswered(callId);
    await rig.settle();
    const [customer, agent] = await this.legs(callId);
    return { callId, customer: customer!.id, agent: agent!.id };
  }

  /** The legs in the call's bridge. */
  async together(callId: string): Promise<string[]> {
    return (await this.legs(callId)).map(({ id }) => id).filter((id) => this.rig.look(id)?.bridgeId === callId);
  }

  /** Makes the engine fail after this number of commands, as if the process that sends them had died. */
  cutAfter(commands: number, kind: EngineErrorKind = 'unreachable'): { readonly cut: boolean; restore(): void } {
    let left = commands;
    let cut = false;
    const undo: (() => void)[] = [];
    const { legs, bridges, media } = this.rig.engine;
    const guard = <T extends object>(part: T, names: readonly (keyof T & string)[]): void => {
      for (const name of names) {
        const real = (part[name] as (...given: unknown[]) => Promise<void>).bind(part);
        const cutting = (...given: unknown[]): Promise<void> => {
          if (left-- > 0) return real(...given);
          cut = true;
          return Promise.reject(new EngineError(kind, 'commands fail in this test'));
        };
        Object.defineProperty(part, name, { value: cutting, configurable: true, writable: true });
        undo.push(() => Object.defineProperty(part, name, { value: real, configurable: true, writable: true }));
      }
    };
    guard(legs, ['originate', 'hold', 'unhold', 'hangup']);
    guard(bridges, ['create', 'add']);
    guard(media, ['play', 'stop']);
    return {
      get cut() {
        return cut;
      },
      restore() {
        for (const each of undo) each();
      },
    };
  }
}

/**
 * For a `describe`: a new stage for each test, on one database for all tests. No call may make an illegal move, and all
 * responses must match the route definitions.
 * @param use receives the stage and its rig before each test
 */
export function transferEach(
  use: (stage: TransferStage, rig: CallControllerRig) => void,
  options: CallControllerRigOptions = {},
): void {
  stageEach(
    (database) => TransferStage.start(database, options),
    (stage) => use(stage, stage.rig),
    async (stage) => {
      await stage.close();
      expect(stage.rig.illegalMoves).to.deep.equal([]);
      expect(stage.api.faults).to.deep.equal([]);
    },
  );
}
