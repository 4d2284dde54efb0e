import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { toneWav } from '../../support/judges/audio.js';
import { hears } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const CALLER = '+966501234517';
const LINE = '+966115550301';
const [FLOW_HZ, BEEP_HZ] = [1700, 1000];
const MAX_WAIT_SECONDS = 5;

/** One caller may wait, for five seconds, and no agent is logged in. */
describe('a queue that overflows', () => {
  let stage: TestPlatform;
  let patient: Baresip;
  let late: Baresip;
  let queue: string;
  let flow: string;

  withPlatform(async (made) => {
    stage = made;
    const { management, stores, engine } = stage.platform;
    patient = await stage.phone({ user: CALLER, source: { toneHz: 900 } });
    await management.trunks.add({ name: 'customers', uri: `sip:127.0.0.1:${patient.sipPort}`, isDefault: false });
    const raw = new FormData();
    raw.set('file', new Blob([Uint8Array.from(toneWav({ hz: FLOW_HZ, seconds: 1.5 }))]), 'sorry.wav');
    const audio = await request('POST', '/v1/callflows/audio', { raw });
    const nodes = { sorry: { type: 'play', audio_id: audio.id, next: 'end' }, end: { type: 'hangup' } };
    const json = { name: 'sorry', kind: 'graph', definition: { start: 'sorry', nodes } };
    flow = String((await request('POST', '/v1/callflows', { json })).id);
    await request('POST', `/v1/callflows/${flow}/activate`, { json: {} });
    const rules = { name: 'sales', dial_code: '501', max_wait_seconds: MAX_WAIT_SECONDS, max_length: 1 };
    queue = String(
      (await request('POST', '/v1/queues', { json: { ...rules, overflow: { type: 'callflow', target: flow } } })).id,
    );
    const [project] = await stores.projects.list();
    await management.numbers.add(project!, LINE, { type: 'queue', target: 'sales' });
    await engine?.configurationChanged();
    late = await stage.softphone('1002', { source: { toneHz: 1200 } });
  });

  async function request(
    method: string,
    path: string,
    options: Parameters<TestPlatform['request']>[2] = {},
  ): Promise<Record<string, unknown>> {
    const answer = await stage.request(method, path, options);
    expect(answer.status, answer.text).to.be.within(200, 201);
    return answer.body ?? {};
  }

  interface Waiting {
    readonly id: string;
    readonly callId: string;
  }
  /** The second caller calls while the first one waits. */
  async function twoCallers(): Promise<readonly [Waiting, Waiting]> {
    const first = await stage.dialIn(patient, stage.sipUri(LINE));
    await stage.receivedEvent(first.callId, 'queue.entered');
    return [first, await stage.dialIn(late, '501')];
  }
  const waited = async (callId: string): Promise<unknown> =>
    (await stage.receivedEvent(callId, 'queue.left')).data.waited_seconds;
  const leftAs = async (callId: string): Promise<unknown> =>
    (await stage.receivedEvent(callId, 'queue.left')).data.outcome;

  it('sends callers who wait too long or find the queue full to a call flow', async () => {
    const [first, second] = await twoCallers();
    await late.waitToHear(hears(FLOW_HZ, 1), { callId: second.id });
    await late.closed(second.id);
    await patient.waitToHear(hears(FLOW_HZ, 1), { callId: first.id });
    await patient.closed(first.id);
    for (const { callId } of [first, second]) expect(await stage.over(callId)).to.include({ callflow_id: flow });
    expect([await leftAs(first.callId), await leftAs(second.callId)]).to.deep.equal(['max_wait', 'full']);
    // Events are exact; the phones may take longer than the first caller may wait.
    expect(await waited(first.callId), 'the first caller').to.be.at.least(MAX_WAIT_SECONDS);
    expect(await waited(second.callId), 'the second caller').to.be.below(MAX_WAIT_SECONDS);
  });

  it('sends both callers to a voicemail box, which stores their messages', async () => {
    const { number } = stage.agent('1001');
    const numbers = (await request('GET', '/v1/numbers')).data as { id: string; e164: string }[];
    const { id } = numbers.find(({ e164 }) => e164 === number)!;
    const greeting = { text: 'No.', language: 'en' };
    await request('PUT', `/v1/numbers/${id}/voicemail`, { json: { enabled: true, greeting } });
    await request('PATCH', `/v1/queues/${queue}`, { json: { overflow: { type: 'voicemail', target: number } } });
    const [first, second] = await twoCallers();
    const leaves = async (phone: Baresip, { id }: Waiting): Promise<void> => {
      await phone.waitToHear(hears(BEEP_HZ, 0.1), { callId: id });
      // No event reports the length of a message while the caller speaks.
      await pause(2000);
      await phone.hangup(id);
    };
    await Promise.all([leaves(late, second), leaves(patient, first)]);
    for (const { callId } of [first, second]) {
      const { data } = await stage.receivedEvent(callId, 'voicemail.received');
      expect(data).to.include({ number, recording_available: true });
      expect(data.duration_seconds).to.be.within(1, 10);
      await stage.over(callId);
    }
    const { overflowed } = (await request('GET', `/v1/queues/${queue}/stats`)) as { overflowed: number };
    expect(overflowed).to.equal(4);
  });
});
