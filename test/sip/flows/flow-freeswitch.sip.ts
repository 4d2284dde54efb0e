import { expect } from 'chai';
import { toneSeconds, toneWav } from '../../support/judges/audio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { hears, hearsMore, talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER, type TrunkTalkers } from '../../support/calls/trunk-talkers.js';

const [MENU_HZ, ONE_HZ] = [1000, 1300];
/** A prompt whose end no test waits for. */
const MENU_SECONDS = 8;

describeFreeswitch('call flows with FreeSWITCH only', () => {
  let stage: FreeswitchStage;
  let talkers: TrunkTalkers;
  let carrier: Baresip;
  const audio: string[] = [];

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    talkers = await stage.application.talkers(stage.carrierPort);
    ({ carrier } = talkers);
    for (const [hz, seconds] of [
      [MENU_HZ, MENU_SECONDS],
      [ONE_HZ, 1.2],
    ] as const) {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(toneWav({ hz, seconds }))]), 'tone.wav');
      const answer = await fetch(new URL('/v1/callflows/audio', stage.application.bootstrap.base_url), {
        method: 'POST',
        headers: { authorization: `Bearer ${stage.application.bootstrap.live_key}` },
        body: form,
      });
      audio.push(((await answer.json()) as { id: string }).id);
    }
  });
  after(() => stage.close());

  async function post(path: string, json: object, status: number): Promise<Record<string, unknown>> {
    const answer = await stage.application.request('POST', path, json);
    expect(answer.status, answer.text).to.equal(status);
    return answer.body ?? {};
  }

  it('ask the customer, accept a key, ring an agent, and continue after the conversation', async () => {
    const nodes = {
      main: { type: 'menu', prompt: { audio_id: audio[0] }, choices: { 5: 'ring' }, no_input: 'end' },
      ring: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end', after: 'one' },
      one: { type: 'play', audio_id: audio[1], next: 'end' },
      end: { type: 'hangup' },
    };
    const { id } = await post('/v1/callflows', { name: 'f', kind: 'graph', definition: { start: 'main', nodes } }, 201);
    await post(`/v1/callflows/${String(id)}/activate`, {}, 200);
    const placed = await post('/v1/calls', { to: CUSTOMER, callflow_id: id }, 202);
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await carrier.waitToHear(hears(MENU_HZ, 0.3), { callId: atCarrier });
    await carrier.sendDtmf('5');
    const atAgent = await talkers.agent.incoming();
    expect(toneSeconds(carrier.heard(atCarrier), MENU_HZ), 'the key ends the prompt').to.be.below(MENU_SECONDS - 1);
    await talkers.agent.answer(atAgent);
    await talk(
      { phone: carrier, hz: CARRIER_HZ, callId: atCarrier },
      { phone: talkers.agent, hz: AGENT_HZ, callId: atAgent },
    );
    await talkers.agent.hangup(atAgent);
    await hearsMore(carrier, atCarrier, ONE_HZ, 0.8);
    await carrier.closed(atCarrier);
    await stage.application.becomes(String(placed.call_id), 'ended');
  });
});
