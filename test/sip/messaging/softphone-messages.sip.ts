import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { getsTexts, messageBecomes, sendText, type TextPlace } from '../../support/calls/softphone-texts.js';
import { textsIn } from '../../support/judges/received-texts.js';
import { SipSocket } from '../../support/peers/sip/socket.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

/** Agents without a phone at first: the shared Asterisk may still have other files' softphones registered. */
const REEM = '1931';
const SAMI = '1932';

describe('messages to a softphone at Asterisk', function () {
  this.timeout(120_000);
  let stage: TestPlatform;
  let place: TextPlace;

  withPlatform(async (made) => {
    stage = made;
    await stage.newAgent(REEM);
    await stage.newAgent(SAMI);
    place = {
      lineNumber: stage.demo.lineNumber,
      request: (method, path, json) => stage.request(method, path, json ? { json } : {}),
    };
  });

  it('wait for a phone, and arrive byte for byte', async () => {
    const phone = await stage.softphone(REEM, { trace: true });
    await registered(REEM);
    await getsTexts(place, phone, stage.agent(REEM).number, 'sent');
    const waiting = await sendText(place, SAMI, 'Are you there?');
    const other = await stage.softphone(SAMI, { trace: true });
    await messageBecomes(place, waiting, 'sent');
    await eventually(() => textsIn(other.log()).some(({ body }) => body === 'Are you there?'), 'the text that waited');
    expect(textsIn(phone.log()).some(({ body }) => body === 'Are you there?')).to.equal(false);
  });

  it('come from nobody without a password, or who is a carrier', async () => {
    const calls = (await stage.latest()).length;
    const stranger = await SipSocket.open(stage.parts.sip.port);
    try {
      const uri = `sip:${REEM}@${stage.parts.sip.host}`;
      const type = { 'Content-Type': 'text/plain' };
      const callId = stranger.send('MESSAGE', uri, { From: `<sip:${SAMI}@127.0.0.1>;tag=1`, ...type }, 'Hello');
      expect(await stranger.next((message) => message.includes(callId))).to.match(/^SIP\/2\.0 401 /);
    } finally {
      stranger.close();
    }
    const carrier = await SipSocket.open(stage.parts.sip.port, '127.0.0.1', stage.carrierPort);
    try {
      const uri = `sip:${stage.demo.lineNumber}@${stage.parts.sip.host}`;
      const callId = carrier.send('MESSAGE', uri, { From: '<sip:+966501234567@127.0.0.1>;tag=1' }, 'Hello');
      expect(await carrier.next((message) => message.includes(callId))).to.match(/^SIP\/2\.0 4\d\d /);
    } finally {
      carrier.close();
    }
    expect(await stage.latest()).to.have.length(calls);
  });

  const registered = async (agent: string): Promise<void> => {
    const { db } = stage.platform.stores;
    const rows = (): Promise<unknown[]> => db.query(`SELECT FROM softphone_registrations WHERE aor = $1`, [agent]);
    await eventually(async () => (await rows()).length > 0, `${agent} is registered`);
  };
});
