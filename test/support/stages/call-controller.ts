import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournalStore } from '../../../adapters/journal/journal-store.js';
import { CallWriter } from '../../../core/data/call-writer.js';
import type { Database } from '../../../core/data/database.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { BrandTable } from '../../../core/data/repositories/verification/brands.js';
import { Challenges } from '../../../core/data/repositories/verification/challenges.js';
import { Codes } from '../../../core/data/repositories/verification/codes.js';
import { TrunkCalls } from '../../../core/data/repositories/engines/trunk-calls.js';
import { Conferences } from '../../../core/data/repositories/calls/conferences.js';
import { VoicemailBoxes } from '../../../core/data/repositories/voicemail/voicemail-boxes.js';
import type { CallRow, LegRow } from '../../../core/data/rows.js';
import type { Refusal } from '../../../core/model/call/refusal.js';
import { newId } from '../../../core/model/ids.js';
import { NO_DETAIL, type CallDetail } from '../../../core/ports/call-detail.js';
import type { LegEndpoint } from '../../../core/ports/engine.js';
import { CallArchive } from '../../../core/services/call-state/call-archive.js';
import { presentChanges } from '../../../core/services/call-state/presenting/events.js';
import { CallState } from '../../../core/services/call-state/call-state.js';
import { Committer } from '../../../core/services/live-calls/journal/committer.js';
import type { Credit } from '../../../core/services/billing/credit.js';
import { LegGate } from '../../../core/services/dialling/leg-gate.js';
import { CallController } from '../../../core/services/live-calls/controller/call-controller.js';
import { IncomingRouter } from '../../../core/services/live-calls/routing/incoming.js';
import type { ProgramFactory, ProgramSpec } from '../../../core/services/call-state/program.js';
import { OneTimeCodes } from '../../../core/services/codes/one-time-codes.js';
import { RecordingConsent } from '../../../core/services/recordings/consent.js';
import { Brands } from '../../../core/services/brands/brands.js';
import { ChallengeCalls } from '../../../core/services/voice-auth/challenge-calls.js';
import { TrunkUse } from '../../../core/services/trunks/trunk-use.js';
import { DirectoryRouting } from '../../../core/services/routing/destinations.js';
import type { CachedDirectory } from '../../../core/services/routing/directory.js';
import { sandboxPrograms } from '../../../core/services/sandbox/agent.js';
import { BlockingByPhone } from '../../../core/services/blocked-callers/by-phone.js';
import { ManageBlockedCallers } from '../../../core/services/blocked-callers/manage.js';
import { SandboxIncoming } from '../../../core/services/live-calls/routing/sandbox-incoming.js';
import { BlockedCallers } from '../../../core/data/repositories/numbers/blocked-callers.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { SandboxRouting } from '../../../core/services/sandbox/routing.js';
import { sandboxParty, type Party } from '../../../engine/simulator/party.js';
import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import type { FlowDeps } from '../../../ivr/flow/deps.js';
import { flowDeps } from '../calls/flows.js';
import { programFactory } from '../../../ivr/programs/index.js';
import { callRow } from '../calls/calls.js';
import { TEST_CIPHER } from '../cipher.js';
import { creditOn } from './billing/charging.js';
import { sipTargetsOn } from '../rows/sip-targets.js';
import { queueParts, type QueueParts } from './queue-stage.js';
import { lineIn } from '../rows/line.js';
import type { Ground } from '../rows/rows.js';
import { eventually } from '../eventually.js';
import { quiet } from '../logger.js';
import { directoryOn } from '../rows/directory.js';
import { fraudGuardOn } from '../rows/fraud-guard.js';
import { forwardingParts, type ForwardingParts } from '../rows/forwarding-parts.js';
import { voicemailParts, type VoicemailParts } from '../rows/voicemail-parts.js';

export const CUSTOMER = '+966501234517';

export interface CallControllerRigOptions {
  /** The responses of external systems to flows; none by default. */
  readonly flowRequests?: FlowDeps['requests'];
  /** The draws of flows, from 0 to below 1; at random by default. */
  readonly flowRandom?: FlowDeps['random'];
  /** The engine's detail records of its legs; none by default. */
  readonly detail?: CallDetail;
  /** A clock shared with other rigs. */
  readonly clock?: VirtualClock;
  /** The engine is the sandbox's, with its scripted parties and its routing. */
  readonly sandbox?: boolean;
  /** Phones may request attended transfers. */
  readonly attendedTransfers?: boolean;
}

/** A CallController on a simulated engine and a real database, with an agent, an echo line and a default trunk. */
export interface CallControllerRig {
  readonly db: Database;
  readonly ground: Ground;
  /** A number that reaches the echo service. */
  readonly line: string;
  /** A number that rings the agent 1001. */
  readonly agentNumber: string;
  readonly clock: VirtualClock;
  readonly engine: SimulatorEngine;
  readonly calls: Calls;
  controller: CallController;
  /** Look-ups, which are cached for some time. */
  readonly directory: CachedDirectory;
  /** Admits every leg that is dialled. */
  readonly gate: LegGate;
  /** Pays for calls. Organizations are postpaid at first, and without a cap. */
  readonly credit: Credit;
  readonly queues: QueueParts;
  readonly voicemail: VoicemailParts;
  readonly forwarding: ForwardingParts;
  readonly illegalMoves: string[];
  /** Why incoming calls were refused, with the Q.850 causes. */
  readonly refusals: Refusal[];
  /** Trunks that leave the engine's probes unanswered. */
  readonly silentTrunks: Set<string>;
  /** The texts that programs had spoken, the newest last. */
  readonly said: string[];
  /** Whether speech for announcements of recordings is available. */
  hasVoice: boolean;
  readonly lease: { epoch: number | null; mayCommand: boolean };
  /** How remote parties behave, by trunk id, number, SIP address or SIP user name; `agent` is any other softphone. */
  readonly parties: Map<string, Party>;
  /** Stores a call as the API does, without a command to the CallController. */
  write(spec: ProgramSpec, patch?: Partial<CallRow>): Promise<string>;
  /** Stores a call and sends the CallController the command to place it. */
  place(spec: ProgramSpec, patch?: Partial<CallRow>): Promise<string>;
  /** Delivers everything that is due at the current virtual time and waits until it is processed. */
  settle(): Promise<void>;
  /** Advances virtual time, event by event, until the condition holds. @throws if it never does */
  until(holds: () => Promise<boolean>): Promise<void>;
  untilStatus(callId: string, status: CallRow['status']): Promise<CallRow>;
  /** Advances virtual time until two legs of the call are answered. */
  untilBothAnswered(callId: string): Promise<void>;
  /** The types of the call's events, in order. */
  eventTypes(callId: string): Promise<string[]>;
  /** The id of the project's newest call, e.g. an incoming one or a system call. */
  newest(projectId?: string): Promise<string>;
  legs(callId: string): Promise<LegRow[]>;
  /** The charges of the call: one row for each billable leg. */
  charges(callId: string): Promise<{ readonly number: string; readonly seconds: number }[]>;
  /** The leg's state in the engine; null if it has ended. */
  look(legId: string): ReturnType<SimulatorEngine['look']> | null;
  /** Another process takes the engine over: a new CallController, which has only the stored state. */
  restart(): Promise<void>;
}

const usual = (programs: ProgramFactory): ProgramFactory => programs;

export async function callControllerRig(
  db: Database,
  options: CallControllerRigOptions = {},
): Promise<CallControllerRig> {
  const { clock = new VirtualClock(new Date()), sandbox = false } = options;
  const { ground, line, agentNumber } = await lineIn(db);
  const parties = new Map<string, Party>();
  const engine = new SimulatorEngine({
    clock,
    partyOf: (endpoint) =>
      namesOf(endpoint).flatMap((name) => parties.get(name) ?? [])[0] ?? (sandbox ? sandboxParty(endpoint) : ANSWERS),
  });
  const calls = new Calls(db);
  const writer = new CallWriter(db);
  const lease: CallControllerRig['lease'] = { epoch: 1, mayCommand: true };
  const journalStore = new FileJournalStore({
    folder: join(tmpdir(), `hatif-journal-${newId()}`),
    maxBytes: 1_000_000,
    log: quiet,
  });
  const illegalMoves: string[] = [];
  const refusals: Refusal[] = [];
  const silentTrunks = new Set<string>();
  const said: string[] = [];
  const directory = directoryOn(db);
  const queues = queueParts(db, clock);
  const voicemail = voicemailParts(db, clock);
  queues.coordinator.startTicking();
  const blockedCallers = new ManageBlockedCallers({
    table: new BlockedCallers(db),
    announce: () => {
      directory.invalidate();
      return Promise.resolve();
    },
    clock,
  });
  const credit = creditOn(db, clock);
  const gate = new LegGate({
    directory,
    credit,
    fraud: fraudGuardOn(db, credit, clock),
    liveCalls: (projectId, except) => calls.countLive(projectId, except),
    sipTargets: sipTargetsOn(db, clock),
  });
  const parts = { directory, coordinator: queues.coordinator, boxes: voicemail.boxLookup, clock };
  const forwarding = forwardingParts(db, parts);
  const sandboxIncoming = new SandboxIncoming({
    numberOf: (projectId, e164) => new Numbers(db).findInSandbox(projectId, e164),
    activeFlow: (projectId, id) => new Callflows(db).findActive({ projectId, sandbox: true }, id),
    blockOf: (projectId, entries) => new BlockedCallers(db).blockOf({ projectId, sandbox: true, agent: null, entries }),
    log: quiet,
  });
  let detach = (): unknown => undefined;
  const open = (): CallController => {
    const committer = new Committer({
      writer,
      journal: journalStore.open(ground.engineId, lease.epoch ?? 0),
      clock,
      log: quiet,
      observer: { holds: () => undefined, refused: () => undefined },
      onFenced: () => (lease.epoch = null),
    });
    const controller = new CallController({
      engineId: ground.engineId,
      engine,
      lease,
      committer: {
        async commit(effect) {
          const isWritten = await committer.commit(effect);
          if (isWritten) queues.watch.wrote(effect);
          return isWritten;
        },
      },
      detail: options.detail ?? NO_DETAIL,
      archive: new CallArchive(calls, new Conferences(db), { isUpToDate: true }),
      gate,
      routing: sandbox ? new SandboxRouting() : new DirectoryRouting(directory),
      incoming: sandbox ? sandboxIncoming : new IncomingRouter(directory, quiet, undefined, undefined, calls),
      ...(!sandbox && { forwarding: forwarding.routing }),
      programs: (sandbox ? sandboxPrograms : usual)(
        programFactory(
          {
            say: (text) => {
              said.push(text);
              return Promise.resolve({ type: 'silence', durationMs: text.length * 10 });
            },
          },
          {
            callBridge: queues.callBridge,
            agentCodes: {
              signIn: queues.signIn,
              blocking: new BlockingByPhone({ calls, blockedCallers, clock }),
              forwarding: forwarding.byPhone,
              languages: () => Promise.resolve(['ar', 'en']),
            },
          },
          voicemail,
          {
            codes: new OneTimeCodes({ codes: new Codes(db), cipher: TEST_CIPHER, clock }),
            voiceAuth: new ChallengeCalls({
              challenges: new Challenges(db),
              brands: new Brands(new BrandTable(db), clock),
              clock,
              onLanes: () => undefined,
            }),
          },
          flowDeps(db, directory, clock, options.flowRequests, options.flowRandom),
        ),
      ),
      boxOf: (numberId) => new VoicemailBoxes(db).getOfAnyOwner(numberId),
      consent: new RecordingConsent({
        project: (id) => directory.project(id),
        synthesize: (text) =>
          Promise.resolve(rig.hasVoice ? ({ type: 'silence', durationMs: text.length * 10 } as const) : null),
      }),
      credit,
      onRecorded: () => undefined,
      onRefused: (_event, refusal) => refusals.push(refusal),
      isTrunkDown: (trunkId) => silentTrunks.has(trunkId),
      ...(!sandbox && { trunkUse: new TrunkUse({ directory, calls: new TrunkCalls(db) }) }),
      attendedTransfers: options.attendedTransfers ?? false,
      clock,
      log: quiet,
      metrics: {
        illegalMove: (from, to) => illegalMoves.push(`${from}→${to}`),
        finished: () => undefined,
        live: () => undefined,
      },
    });
    detach();
    detach = queues.callBridge.attach(controller);
    return controller;
  };
  const idle = async (): Promise<void> => {
    // Each of them may create work for the others.
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise(setImmediate);
      await rig.controller.idle();
      await queues.watch.idle();
      await queues.coordinator.idle();
    }
  };
  const rig: CallControllerRig = {
    db,
    ground,
    line,
    agentNumber,
    clock,
    engine,
    calls,
    controller: open(),
    directory,
    gate,
    credit,
    queues,
    forwarding,
    illegalMoves,
    refusals,
    silentTrunks,
    voicemail,
    said,
    hasVoice: true,
    lease,
    parties,
    async write(spec, patch = {}) {
      const state = new CallState(
        callRow(
          {
            organization_id: ground.organizationId,
            project_id: ground.projectId,
            engine_id: ground.engineId,
            created_at: clock.now(),
            customer_number: CUSTOMER,
            ...patch,
          },
          spec,
        ),
        [],
      );
      state.emit('call.initiated', clock.now(), {});
      await writer.insertPlaced(presentChanges(state.takeChanges()!));
      return state.row.id;
    },
    async place(spec, patch) {
      const callId = await rig.write(spec, patch);
      await rig.controller.command({ type: 'place', callId });
      return callId;
    },
    async settle() {
      await clock.advance(0);
      await idle();
    },
    async until(holds) {
      for (let steps = 0; steps < 500; steps += 1) {
        await idle();
        if (await holds()) return;
        // If nothing waits for virtual time, a database query may still be running.
        if (!(await clock.step())) await eventually(async () => (await clock.step()) || holds(), 'anything to happen');
      }
      throw new Error('the condition was never met');
    },
    async untilStatus(callId, status) {
      await rig.until(async () => (await calls.find(callId))?.status === status);
      return (await calls.find(callId))!;
    },
    untilBothAnswered: (callId) =>
      rig.until(async () => (await rig.legs(callId)).filter(({ status }) => status === 'answered').length === 2),
    eventTypes: async (callId) => {
      const rows = await db.query<{ sequence: number; type: string }>(
        `SELECT sequence, type FROM events WHERE call_id = $1 ORDER BY sequence`,
        [callId],
      );
      return rows.map(({ sequence, type }, index) => (sequence === index + 1 ? type : `gap before ${sequence}`));
    },
    async newest(projectId = ground.projectId) {
      const [row] = await db.query<{ id: string }>(
        `SELECT id FROM calls WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
        [projectId],
      );
      return row!.id;
    },
    legs: (callId) => calls.legsOf([callId]),
    charges: (callId) => db.query(`SELECT number, seconds FROM charges WHERE call_id = $1 ORDER BY number`, [callId]),
    look(legId) {
      try {
        return engine.look(legId);
      } catch (error) {
        if (error instanceof RangeError) return null;
        throw error;
      }
    },
    async restart() {
      await rig.controller.stop();
      await db.query(`UPDATE engines SET epoch = epoch + 1 WHERE id = $1`, [ground.engineId]);
      lease.epoch = (lease.epoch ?? 0) + 1;
      rig.controller = open();
      await rig.controller.adopt();
      await rig.controller.idle();
    },
  };
  engine.start((event) => rig.controller.handle(event));
  await engine.registrations.put({ aor: `a${ground.projectId}`, password: 'x', displayName: 'Agent', maxContacts: 1 });
  await clock.advance(0);
  await rig.controller.adopt();
  return rig;
}

const ANSWERS: Party = {
  ringsAfterMs: 500,
  answersAfterMs: 2_000,
  hangsUpAfterMs: null,
  refuses: null,
  ignoresRingTimeout: false,
};

/** The names of a party in {@link CallControllerRig.parties}, the closest one first. */
function namesOf(endpoint: LegEndpoint): readonly string[] {
  if (endpoint.type === 'trunk') return [endpoint.trunkId, endpoint.number];
  if (endpoint.type === 'inside') return [endpoint.number];
  return endpoint.type === 'softphone' ? [endpoint.aor, 'agent'] : [endpoint.uri];
}
