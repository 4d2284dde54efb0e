import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { hasSpeech, longestSilenceSeconds, toneSeconds, toneWav } from '../../support/judges/audio.js';
import { talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const CALLER = '+966501234517';
const FORWARDED_TO = '+966559876543';

describe('calls to virtual numbers', () => {
  let stage: TestPlatform;
  let caller: Baresip;
  let server: Server;

  before(async () => {
    server = createServer((_, res) => void res.end(toneWav({ hz: 440, seconds: 2 })));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => void server.close());
  withPlatform(
    async (made) => {
      stage = made;
      caller = await stage.phone({ user: CALLER, source: { toneHz: 900 } });
      const { management, engine } = stage.platform;
      await management.trunks.add({ name: 'other', uri: `sip:127.0.0.1:${caller.sipPort}`, isDefault: false });
      await engine?.configurationChanged();
    },
    { settings: { NUMBER_RANGES: '+966115557000-+966115557009', PLAY_URL_ALLOW_LOOPBACK: 'true' } },
  );

  const audioUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/greeting.wav`;
  const numberOf = async (user: string, instructions: object): Promise<{ id: string; e164: string }> => {
    const json = { external_user_id: user, instructions };
    const answer = await stage.request('POST', '/v1/virtual-numbers', { json });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body?.data as { id: string; e164: string };
  };

  it('speak the text, play the audio, and end', async () => {
    const { e164 } = await numberOf('u-1', { text: 'You have reached Reem.', language: 'en', audio_url: audioUrl() });
    const { id, callId } = await stage.dialIn(caller, stage.sipUri(e164));
    await caller.closed(id);
    const heard = caller.heard(id);
    // Played once: the audio lasts two seconds.
    expect(toneSeconds(heard, 440)).to.be.within(1.4, 3);
    expect(hasSpeech(heard), 'the text is spoken').to.equal(true);
    const over = await stage.over(callId);
    expect(over).to.include({ kind: 'inbound', status: 'ended', disposition: 'answered', line_number: e164 });
    expect(longestSilenceSeconds(heard)).to.be.lessThan(3);
  });

  it('are forwarded after the audio', async () => {
    const { e164 } = await numberOf('u-2', { audio_url: audioUrl(), forward_to: FORWARDED_TO });
    const carrier = await stage.carrier({ source: { toneHz: 700 } });
    const { id, callId } = await stage.dialIn(caller, stage.sipUri(e164));
    const ringing = await carrier.incoming();
    expect(toneSeconds(caller.heard(id), 440)).to.be.greaterThan(1.4);
    await carrier.answer(ringing);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: carrier, hz: 700, callId: ringing });
    await carrier.hangup(ringing);
    await caller.closed(id);
    await stage.over(callId);
  });

  it('are not answered before the other side if they are only forwarded', async () => {
    const { id: virtualId, e164 } = await numberOf('u-3', { forward_to: FORWARDED_TO });
    const carrier = await stage.carrier({ source: { toneHz: 700 } });
    const { id, callId } = await stage.dialIn(caller, stage.sipUri(e164));
    const ringing = await carrier.incoming();
    await caller.waitFor('CALL_RINGING', { callId: id });
    expect(caller.call(id).establishedAt).to.equal(null);
    await carrier.answer(ringing);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: carrier, hz: 700, callId: ringing });
    // A change applies to the next call.
    const json = { text: 'Not now.', language: 'en' };
    const changed = await stage.request('PUT', `/v1/virtual-numbers/${virtualId}/instructions`, { json });
    expect(changed.status).to.equal(200);
    await caller.hangup(id);
    await carrier.closed(ringing);
    await stage.over(callId);
    const next = await stage.dialIn(caller, stage.sipUri(e164));
    await caller.closed(next.id);
    expect(hasSpeech(caller.heard(next.id))).to.equal(true);
  });

  it('are refused if the number has no instructions or is released', async () => {
    const { id: virtualId, e164 } = await numberOf('u-4', {});
    expect(await caller.closed(await caller.dial(stage.sipUri(e164)))).to.match(/^404/);
    const json = { text: 'Hello', language: 'en' };
    await stage.request('PUT', `/v1/virtual-numbers/${virtualId}/instructions`, { json });
    await stage.request('DELETE', `/v1/virtual-numbers/${virtualId}`);
    expect(await caller.closed(await caller.dial(stage.sipUri(e164)))).to.match(/^404/);
  });
});
