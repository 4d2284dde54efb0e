import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LegEndpoint } from '../../../core/ports/engine.js';
import { toneWav } from '../../support/judges/audio.js';
import { Baresip, Sipp } from '../../support/phones/index.js';
import type { Callee, Rig } from './rig.js';
import { carrierAt, connected } from './stage.js';
import { type Opened } from './opened.js';

const STATUS = { busy: 486, rejects: 603, unknown_number: 404 } as const;
const CALLER = '+966501234567';

interface RealHost {
  /** A directory that the engine can read. */
  readonly folder: string;
  readonly sipAddress: string;
  readonly sipPort: number;
  stop(): Promise<void>;
}

/** A real engine for one test file, connected. */
export interface RealEngine extends RealHost, Opened {}

/** Connects the engine; it stops together with its host. */
export async function realEngine(host: RealHost, opened: Opened): Promise<RealEngine> {
  const { engine, heard } = await connected(opened);
  const { folder, sipAddress, sipPort } = host;
  const stop = async (): Promise<void> => {
    await engine.stop();
    await host.stop();
  };
  return { engine, heard, folder, sipAddress, sipPort, stop };
}

/** Adds real SIP phones to an engine. */
export async function sipRig(host: RealEngine): Promise<Rig> {
  const { engine, heard } = host;
  const phones: { readonly phone: Baresip; used: boolean }[] = [];
  const refusers = new Map<keyof typeof STATUS, Sipp>();
  const accounts: Baresip[] = [];
  const caller = await Baresip.start({ user: CALLER });
  const inboundAddresses = ['192.0.2.0/24', `127.0.0.1:${caller.sipPort}`, '198.51.100.7'];
  await engine.trunks.put(carrierAt(caller.sipPort, { inboundAddresses }));

  const calleeOf = (phone: Baresip, endpoint: LegEndpoint): Callee => {
    let callId: string | undefined;
    return {
      endpoint,
      answer: async () => {
        const live = ({ id }: { id?: string }): boolean => phone.calls.get(id ?? '')?.closedAt === null;
        callId = (await phone.waitFor('CALL_INCOMING', { where: live })).id!;
        await phone.answer(callId);
      },
      hangUp: () => phone.hangup(callId),
      press: (_legId, digits) => phone.sendDtmf(digits),
      hold: (_legId, held) => (held ? phone.hold() : phone.resume()),
      received: (_legId, digits) => phone.digits(digits, callId),
    };
  };

  return {
    engine,
    events: heard.events,
    event: (type, fields) => heard.event(type, fields),
    callee: async () => {
      let free = phones.find((entry) => !entry.used);
      if (!free) {
        free = { phone: await Baresip.start({ user: `phone-${phones.length}` }), used: true };
        phones.push(free);
      }
      free.used = true;
      return calleeOf(free.phone, { type: 'sip', uri: free.phone.uri });
    },
    refusing: async (how) => {
      const refuser = refusers.get(how) ?? (await Sipp.start({ scenario: 'uas-reject', status: STATUS[how] }));
      refusers.set(how, refuser);
      return { type: 'sip', uri: `sip:callee@${refuser.address}` };
    },
    callIn: async (dialled) => {
      const callId = await caller.dial(`sip:${dialled}@${host.sipAddress}`);
      return {
        number: CALLER,
        hangUp: () => caller.hangup(callId),
        refusal: () => caller.closed(callId),
      };
    },
    audio: async (durationMs) => {
      const path = join(host.folder, `tone-${durationMs}`);
      await writeFile(`${path}.wav`, toneWav({ hz: 440, seconds: durationMs / 1000 }));
      return path;
    },
    register: async ({ aor, password }) => {
      const registrar = { host: '127.0.0.1', port: host.sipPort, password };
      const phone = await Baresip.start({ user: aor, registrar });
      accounts.push(phone);
      return calleeOf(phone, { type: 'softphone', aor });
    },
    // A phone that is still in a call could mistake the next scenario's events for its own.
    tidy: async () => {
      const { legs } = await engine.list();
      await Promise.all(legs.map(({ legId }) => engine.legs.hangup(legId)));
      for (const { phone } of [...phones, { phone: caller }]) {
        for (const call of phone.calls.values()) {
          if (call.closedAt === null) await phone.closed(call.id);
        }
      }
      for (const entry of phones) entry.used = false;
    },
    close: async () => {
      await Promise.all([...phones.map(({ phone }) => phone), ...accounts, caller].map((phone) => phone.close()));
      await Promise.all([...refusers.values()].map((refuser) => refuser.stop()));
      await host.stop();
    },
  };
}
