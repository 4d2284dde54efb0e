import { expect } from 'chai';
import { CUSTOMER } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { toneSeconds } from '../../support/judges/audio.js';
import { OpenAiPeer } from '../../support/peers/openai-peer.js';
import { Smsc } from '../../support/peers/smsc.js';
import type { Baresip } from '../../support/phones/index.js';
import { TestPlatform } from '../../support/platform/platform.js';

const VOICE_HZ = 1400;
const BAD_NUMBER = 0x0b;

describe('a message that does not arrive as an SMS', function () {
  this.timeout(120_000);
  let voice: OpenAiPeer;
  let smsc: Smsc;
  let stage: TestPlatform;
  let customer: Baresip;

  before(async () => {
    voice = await OpenAiPeer.start('key-1');
    voice.voices = { amal: VOICE_HZ };
    smsc = await Smsc.start();
    smsc.respond = () => ({ status: BAD_NUMBER, id: '' });
    stage = await TestPlatform.start({
      settings: {
        SMPP_URLS: `smpp://hatif:${smsc.password}@127.0.0.1:${smsc.port}`,
        ...{ TTS_URL: voice.baseUrl, TTS_API_KEY: 'key-1', TTS_VOICE_AR: 'amal' },
      },
    });
    customer = await stage.carrier();
  });
  after(async () => {
    await stage.stop();
    await smsc.close();
    await voice.close();
  });
  afterEach(() => stage.assertSound());

  it('is spoken twice to the person, who is called once', async () => {
    const post = async (path: string, json: object): Promise<Record<string, unknown>> => {
      const answer = await stage.request('POST', path, { json });
      expect(answer.status, answer.text).to.be.within(200, 202);
      return answer.body ?? {};
    };
    const read = async (id: unknown): Promise<Record<string, unknown>> =>
      (await stage.request('GET', `/v1/messages/${String(id)}`)).body ?? {};
    // A number of the project is approved at once.
    await post('/v1/messages/senders', { sender: stage.demo.lineNumber });
    const text = 'وصل طلبك';
    const { message_id: id } = await post('/v1/messages', { channel: 'sms', to: CUSTOMER, text, fallback: ['voice'] });
    const call = await customer.incoming();
    expect(smsc.submitted).to.have.length(1);
    expect(await read(id)).to.include({ status: 'failed' });
    await customer.answer(call);
    await customer.closed(call, 60_000);
    // The voice speaks for half a second.
    expect(toneSeconds(customer.heard(call), VOICE_HZ)).to.be.within(0.8, 1.2);
    expect(voice.spoken.map(({ input }) => input)).to.deep.equal([text]);
    await eventually(
      async () => ((await read(id)).fallback as Record<string, unknown>).called === true,
      'the message says that the person was called',
    );
    expect((await read(id)).fallback).to.deep.include({ called: true, channels: [], error_code: null });
    expect(smsc.submitted).to.have.length(1);
    // It is a call of the platform: no list shows it.
    const { body } = await stage.request('GET', '/v1/calls?limit=10');
    expect(body?.data).to.deep.equal([]);
  });
});
