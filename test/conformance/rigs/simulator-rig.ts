import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sipFromQ850 } from '../../../core/model/call/hangup-cause.js';
import type { LegEndpoint, Legs } from '../../../core/ports/engine.js';
import type { EngineEvent } from '../../../core/ports/engine-events.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { toneWav } from '../../support/judges/audio.js';
import { isOf } from './heard.js';
import type { Callee, Refusing, Rig } from './rig.js';

const REFUSING = { busy: PARTIES.busy, rejects: PARTIES.rejects, unknown_number: PARTIES.unknownNumber } as const;

/** The simulator with a driven clock: time passes only while a test waits. */
export async function simulatorRig(): Promise<Rig> {
  const clock = new VirtualClock();
  const events: EngineEvent[] = [];
  const refusing = new Map<string, Refusing>();
  const folder = await mkdtemp(join(tmpdir(), 'hatif-simulator-'));
  const engine = new SimulatorEngine({
    clock,
    partyOf: (endpoint) => {
      const how = endpoint.type === 'sip' ? refusing.get(endpoint.uri) : undefined;
      return how === undefined ? PARTIES.neverAnswers : REFUSING[how];
    },
  });
  // The simulator has no SIP: the status in the command is what its caller gets.
  const rejected = new Map<string, number>();
  const legs: Legs = engine.legs;
  const reject = legs.reject.bind(legs);
  legs.reject = async (legId, status) => {
    rejected.set(legId, status);
    await reject(legId, status);
  };
  engine.start((event) => events.push(event));
  await clock.advance(0);
  let phoneCount = 0;
  const calleeAt = (endpoint: LegEndpoint): Callee => ({
    endpoint,
    answer: async (legId) => {
      engine.remoteAnswer(legId);
      await clock.advance(0);
    },
    hangUp: async (legId) => {
      engine.remoteHangup(legId);
      await clock.advance(0);
    },
    press: async (legId, digits) => {
      engine.pressDigits(legId, digits);
      await clock.advance(0);
    },
    hold: async (legId, held) => {
      engine.phoneHold(legId, held);
      await clock.advance(0);
    },
    received: (legId, digits) => {
      const sent = engine.look(legId).sentDigits.replaceAll('w', '');
      return sent.endsWith(digits) ? Promise.resolve() : Promise.reject(new Error(`received ${sent}`));
    },
  });

  return {
    engine,
    events,
    async event(type, fields) {
      const matches = isOf(type, fields);
      for (;;) {
        const found = events.find(matches);
        if (found) return found;
        if (!(await clock.step())) throw new Error('No more events are scheduled');
      }
    },
    callee: () => Promise.resolve(calleeAt({ type: 'sip', uri: `sip:phone-${phoneCount++}@127.0.0.1` })),
    refusing: (how) => {
      const uri = `sip:${how}@127.0.0.1`;
      refusing.set(uri, how);
      return Promise.resolve({ type: 'sip', uri });
    },
    callIn: (dialled) => {
      const number = '+966501234567';
      engine.callIn({ source: { type: 'trunk', trunkId: 'carrier' }, dialled, callerId: { number, name: null } });
      return Promise.resolve({
        number,
        hangUp: async (legId) => {
          engine.remoteHangup(legId);
          await clock.advance(0);
        },
        refusal: (legId) => {
          const end = events.find((event) => event.type === 'leg.ended' && event.legId === legId);
          const status = rejected.get(legId);
          if (status !== undefined) return Promise.resolve(String(status));
          return Promise.resolve(String(end?.type === 'leg.ended' ? sipFromQ850(end.cause.q850) : null));
        },
      });
    },
    audio: async (durationMs) => {
      const path = join(folder, `tone-${durationMs}`);
      await writeFile(`${path}.wav`, toneWav({ hz: 440, seconds: durationMs / 1000 }));
      return path;
    },
    register: (softphone) => Promise.resolve(calleeAt({ type: 'softphone', aor: softphone.aor })),
    tidy: async () => {
      for (const { legId } of (await engine.list()).legs) await engine.legs.hangup(legId);
      await clock.advance(0);
    },
    close: async () => {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
