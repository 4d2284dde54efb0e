import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { hasSpeech, toneSeconds, toneWav } from '../../support/judges/audio.js';
import { hears } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const CUSTOMER = '+966501234517';

// One platform for all tests: long calls run in parallel with the others.
describe('calls on the running platform', () => {
  let stage: TestPlatform;
  let phone: Baresip;

  withPlatform(async (made) => {
    stage = made;
    await beginLongCalls();
    phone = await stage.softphone('1001', { source: { toneHz: 600 } });
  });

  interface LongCall {
    readonly phone: Baresip;
    /** The platform's ID of the call, and the phone's. */
    readonly callId: string;
    readonly id: string;
  }
  let long: { readonly rungOut: LongCall; readonly longest: LongCall; readonly echo: LongCall };

  async function beginLongCalls(): Promise<void> {
    for (const agent of ['1003', '1004', '1005']) await stage.newAgent(agent);
    const ring = async (agent: string, json: object): Promise<LongCall> => {
      const callee = await stage.softphone(agent);
      const { call_id: callId } = await stage.call({ to: stage.agent(agent).number, ...json });
      return { phone: callee, callId, id: await callee.incoming() };
    };
    const rungOut = await ring('1003', { ring_timeout_seconds: 5 });
    const longest = await ring('1004', { max_duration_seconds: 10 });
    await longest.phone.answer(longest.id);
    const caller = await stage.softphone('1005', { source: { toneHz: 1200 } });
    long = { rungOut, longest, echo: { phone: caller, ...(await stage.dialIn(caller, stage.demo.lineNumber)) } };
  }

  /** Places a call to the softphone, which answers. */
  async function answered(json: object): Promise<{ callId: string; id: string }> {
    const call = await stage.call({ to: stage.agent('1001').number, ...json });
    const id = await phone.incoming();
    await phone.answer(id);
    return { callId: call.call_id, id };
  }

  for (const [language, text] of [
    ['en', 'Hello from Hatif.'],
    ['ar', 'مرحبا بك في هاتف.'],
  ] as const) {
    it(`speak a text (${language}) to a softphone and then hang up`, async () => {
      const call = await stage.call({ to: stage.agent('1001').number, play: { text, language }, metadata: { a: '1' } });
      expect(call).to.deep.include({ status: 'initiated', kind: 'outbound', direction: 'outbound', sandbox: false });
      expect(call).to.deep.include({ metadata: { a: '1' }, legs: [], line_number: stage.demo.lineNumber });
      const id = await phone.incoming();
      expect(phone.call(id).peer).to.contain(stage.demo.lineNumber);
      await phone.answer(id);
      await phone.waitToHear(hasSpeech, { callId: id });
      await phone.closed(id);
      const ended = await stage.over(call.call_id);
      expect(ended).to.deep.include({ status: 'ended', disposition: 'answered', metadata: { a: '1' } });
      expect(ended.hangup_cause?.q850).to.equal(16);
      expect(ended.legs).to.have.length(1);
      expect(ended.legs[0]).to.deep.include({ leg: 'customer', status: 'ended', on_hold: false, muted: false });
    });
  }

  describe('of audio', () => {
    let server: Server;
    let url: string;

    before(async () => {
      server = createServer((req, res) => {
        res.setHeader('Content-Type', 'audio/wav');
        res.end(toneWav({ hz: 1000, seconds: 1, sampleRate: 16_000, channels: 2 }));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prompt.wav`;
    });
    after(() => server.close());

    it('play audio from a URL', async () => {
      const { callId, id } = await answered({ play: { url } });
      await phone.closed(id);
      const heard = toneSeconds(phone.heard(id), 1000);
      // The audio played once; the network may drop a part of it.
      expect(heard).to.be.within(0.6, 1.5);
      expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
    });

    it('play uploaded audio', async () => {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(toneWav({ hz: 1300, seconds: 1 }))]), 'prompt.wav');
      const upload = await stage.request('POST', '/v1/callflows/audio', { raw: form });
      expect(upload.status, upload.text).to.equal(201);
      const { callId, id } = await answered({ play: { audio_id: upload.body?.id } });
      await phone.closed(id);
      expect(toneSeconds(phone.heard(id), 1300)).to.be.within(0.6, 1.5);
      expect(await stage.over(callId)).to.include({ status: 'ended' });
    });
  });

  it('are hung up by the other side in the middle of a prompt', async () => {
    const { callId, id } = await answered({
      play: { text: 'This sentence is much too long to be heard.', language: 'en' },
    });
    await phone.waitToHear(hasSpeech, { callId: id });
    await phone.hangup(id);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
  });

  it('are hung up through the API during the conversation', async () => {
    const { callId, id } = await answered({});
    await stage.receivedEvent(callId, 'call.answered');
    await stage.hangup(callId);
    await phone.closed(id);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
    const timeline = (await stage.timeline(callId)).map(({ type }) => type);
    const expected = ['call.initiated', 'call.ringing', 'call.answered', 'control.hangup', 'leg.ended', 'call.ended'];
    expect(timeline.filter((type) => expected.includes(type))).to.have.members(expected);
    expect(timeline.indexOf('control.hangup')).to.be.lessThan(timeline.indexOf('call.ended'));
    // Earlier events were delivered; the last attempt is recorded only after the receiver has got the event.
    expect(timeline).to.include('webhook.delivered');
  });

  it('are cancelled through the API while the phone rings; it stops ringing', async () => {
    const call = await stage.call({ to: stage.agent('1001').number });
    const id = await phone.incoming();
    await stage.receivedEvent(call.call_id, 'call.ringing');
    await stage.hangup(call.call_id);
    await phone.closed(id);
    expect(phone.call(id).establishedAt).to.equal(null);
    expect(await stage.over(call.call_id)).to.include({
      status: 'cancelled',
      disposition: 'cancelled',
      answered_at: null,
    });
    const again = await stage.request('POST', `/v1/calls/${call.call_id}/hangup`);
    expect([again.status, again.body?.error_code]).to.deep.equal([409, 'CALL_NOT_ACTIVE']);
  });

  it('are rejected by the softphone', async () => {
    const call = await stage.call({ to: stage.agent('1001').number });
    await phone.reject(await phone.incoming());
    expect(await stage.over(call.call_id)).to.deep.include({ status: 'missed', disposition: 'busy' });
  });

  it('are missed if the softphone is not registered', async () => {
    // A new agent: the shared Asterisk may still have other files' softphones registered.
    await stage.newAgent('1902');
    const call = await stage.call({ to: stage.agent('1902').number });
    const missed = await stage.over(call.call_id);
    expect(missed).to.include({ status: 'missed', disposition: 'no_answer', ringing_at: null });
    expect(missed.hangup_cause?.q850).to.equal(20);
  });

  it('also send their events to their own webhook URL, signed with the project’s secret', async () => {
    const { callId, id } = await answered({ webhook_url: stage.receiver.url('/own') });
    await phone.hangup(id);
    await stage.over(callId);
    const types = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];
    await stage.receiver.waitUntil(
      () => stage.receiver.accepted('/own').length === types.length,
      'all events arrive at the call’s own URL',
    );
    const own = stage.receiver.accepted('/own');
    expect(own.map(({ type }) => type)).to.deep.equal(types);
    for (const { id: messageId, timestamp, body, signatures } of own) {
      const signature = new Webhook(stage.signingSecret).sign(messageId, new Date(timestamp * 1000), body);
      expect(signatures).to.deep.equal([signature]);
    }
  });

  describe('through the trunk', () => {
    it('reach the carrier with the caller ID, speak, and are hung up by the carrier', async () => {
      const carrier = await stage.carrier({ source: { toneHz: 900 } });
      const call = await stage.call({ to: '050 123 4517', play: { text: 'One two three four.', language: 'en' } });
      expect(call.customer_number_masked).to.equal('+96650••••17');
      const id = await carrier.incoming();
      expect(carrier.call(id).peer).to.contain(stage.demo.lineNumber);
      await carrier.answer(id);
      await carrier.waitToHear(hasSpeech, { callId: id });
      await carrier.hangup(id);
      const ended = await stage.over(call.call_id);
      expect(ended).to.include({ status: 'ended', disposition: 'answered' });
      const { establishedAt, closedAt } = carrier.call(id);
      const talkedSeconds = (closedAt!.getTime() - establishedAt!.getTime()) / 1000;
      expect(ended.duration_seconds).to.be.closeTo(talkedSeconds, 2);
    });

    it('show the requested number and name', async () => {
      const carrier = await stage.sippCarrier({ scenario: 'uas-answer-then-bye', pauseMs: 10, trace: true });
      const caller_id_number = stage.agent('1002').number;
      const call = await stage.call({ to: CUSTOMER, caller_id_number, caller_id_name: 'Acme "Co"' });
      const invite = await carrier.message(/^INVITE /m);
      expect(/^From: (.*)$/m.exec(invite)?.[1])
        .to.contain(`sip:${caller_id_number}@`)
        .and.contain('Acme');
      expect(/^P-Asserted-Identity: (.*)$/m.exec(invite)?.[1]).to.contain(`sip:${caller_id_number}@`);
      // Codecs in the order of the setting: A-law, µ-law, Opus, G.722.
      expect(invite).to.match(/^m=audio \d+ RTP\/AVP 8 0 \d{3} 9 /m);
      expect(invite).to.match(new RegExp(`^INVITE sip:\\${CUSTOMER}@127.0.0.1:${stage.carrierPort}`, 'm'));
      expect(await stage.over(call.call_id)).to.include({ status: 'ended', line_number: caller_id_number });
    });

    // No digit twice in a row: baresip keeps only a digit's first packet and takes a repeated digit for the same one.
    it('send digits after the answer, one by one', async () => {
      const carrier = await stage.carrier();
      const call = await stage.call({ to: CUSTOMER, send_digits: '15w0#*98' });
      const id = await carrier.incoming();
      await carrier.answer(id);
      await carrier.digits('150#*98', id);
      await carrier.hangup(id);
      expect(await stage.over(call.call_id)).to.include({ status: 'ended' });
      const timeline = await stage.timeline(call.call_id);
      const sent = timeline.find(({ type }) => type === 'control.dtmf');
      expect(sent?.data).to.deep.equal({ digits_count: 7 });
      expect(JSON.stringify(timeline)).not.to.contain('150#*98');
    });

    it('ring while the carrier sends early media', async () => {
      await stage.sippCarrier({ scenario: 'uas-early-media', pauseMs: 100 });
      const call = await stage.call({ to: CUSTOMER });
      await stage.receivedEvent(call.call_id, 'call.answered');
      await stage.hangup(call.call_id);
      const ended = await stage.over(call.call_id);
      expect(ended.ringing_at).to.be.a('string');
    });

    for (const [status, outcome] of [
      [486, { status: 'missed', disposition: 'busy', q850: 17 }],
      [600, { status: 'missed', disposition: 'busy', q850: 17 }],
      [603, { status: 'missed', disposition: 'rejected', q850: 21 }],
      [480, { status: 'missed', disposition: 'no_answer', q850: 19 }],
      [404, { status: 'failed', disposition: 'invalid_number', q850: 1 }],
      [484, { status: 'failed', disposition: 'invalid_number', q850: 28 }],
      [503, { status: 'failed', disposition: 'congestion', q850: 34 }],
    ] as const) {
      it(`end as ${outcome.disposition} when the carrier answers ${status}`, async () => {
        await stage.sippCarrier({ scenario: 'uas-reject', status });
        const call = await stage.call({ to: CUSTOMER });
        const over = await stage.over(call.call_id);
        const { q850, ...rest } = outcome;
        expect(over).to.include({ ...rest, answered_at: null, duration_seconds: null });
        expect(over.hangup_cause).to.include({ q850, sip_code: status });
      });
    }
  });

  // They were started before all other calls.
  describe('that run for a long time', () => {
    it('are missed when nobody answers before the ring timeout', async () => {
      await long.rungOut.phone.closed(long.rungOut.id);
      const over = await stage.over(long.rungOut.callId);
      expect(over).to.include({ status: 'missed', disposition: 'no_answer', answered_at: null });
      expect(over.hangup_cause).to.include({ q850: 19 });
    });

    it('time out when the other side never rings', async () => {
      await stage.sippCarrier({ scenario: 'uas-silent' });
      const { call_id: callId } = await stage.call({ to: CUSTOMER, ring_timeout_seconds: 5 });
      expect(await stage.over(callId)).to.include({ status: 'timeout', disposition: 'no_answer', ringing_at: null });
    });

    it('are ended at their maximum duration', async () => {
      await long.longest.phone.closed(long.longest.id, 30_000);
      const ended = await stage.over(long.longest.callId);
      expect(ended).to.include({ status: 'ended', disposition: 'answered' });
      // A busy machine may be late.
      expect(ended.duration_seconds).to.be.within(8, 15);
    });

    it('to the echo line are greeted in both languages, hear themselves, and end with #', async () => {
      const { phone: caller, callId, id } = long.echo;
      await caller.waitToHear(hears(1200, 1), { callId: id, timeoutMs: 40_000 });
      expect(hasSpeech(caller.heard(id))).to.equal(true);
      await caller.sendDtmf('#');
      await caller.closed(id);
      const over = await stage.over(callId);
      expect(over).to.include({ kind: 'inbound', status: 'ended', disposition: 'answered' });
      const types = (await stage.timeline(callId)).map(({ type }) => type);
      expect(types).to.include('echo.started');
      expect(types.filter((type) => type === 'call.dtmf')).to.have.length(1);
    });
  });
});
