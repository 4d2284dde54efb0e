import { expect } from 'chai';
import {
  approveSender,
  getsTexts,
  messageBecomes,
  sendText,
  type TextPlace,
} from '../../support/calls/softphone-texts.js';
import { eventually } from '../../support/eventually.js';
import { textsIn } from '../../support/judges/received-texts.js';
import { SipSocket } from '../../support/peers/sip/socket.js';
import { Smsc } from '../../support/peers/smsc.js';
import type { Baresip } from '../../support/phones/index.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { untilRegistered } from '../../support/phones/registered.js';

/** Agents without a phone at first: the shared Asterisk may still have other files' softphones registered. */
const REEM = '1931';
const SAMI = '1932';
const LINA = '1933';
const CUSTOMER = '+966501234517';
const ARABIC = 'أين أنت؟ ☕';

describe('messages of softphones at Asterisk', function () {
  this.timeout(120_000);
  let smsc: Smsc;
  let stage: TestPlatform;
  let place: TextPlace;
  let reem: Baresip;

  before(async () => {
    smsc = await Smsc.start();
    stage = await TestPlatform.start({
      settings: { SMPP_URLS: `smpp://hatif:${smsc.password}@127.0.0.1:${smsc.port}` },
    });
    for (const agent of [REEM, SAMI, LINA]) await stage.newAgent(agent);
    place = {
      lineNumber: stage.demo.lineNumber,
      request: (method, path, json) => stage.request(method, path, json ? { json } : {}),
    };
    await approveSender(place);
    reem = await stage.softphone(REEM, { trace: true });
    await registered(REEM);
  });
  after(async () => {
    await stage.stop();
    await smsc.close();
  });
  afterEach(() => stage.assertSound());

  const registered = (agent: string): Promise<unknown> => untilRegistered(stage.platform.stores.db, agent);
  const has = (phone: Baresip, text: string): boolean => textsIn(phone.log()).some(({ body }) => body === text);

  it('arrive byte for byte at the number of the agent', async () => {
    await getsTexts(place, reem, stage.agent(REEM).number, 'sent');
  });

  it('wait for a phone', async () => {
    const waiting = await sendText(place, SAMI, 'Are you there?');
    const phone = await stage.softphone(SAMI, { trace: true });
    await messageBecomes(place, waiting, 'sent');
    await eventually(() => has(phone, 'Are you there?'), 'the text that waited');
    expect(has(reem, 'Are you there?')).to.equal(false);
    await phone.close();
  });

  it('go from a phone to a colleague, and as SMS to a customer, whose answer comes back to the phone', async () => {
    const { number, password } = stage.agent(LINA);
    await place.request('POST', '/v1/messages/senders', { sender: number });
    const phone = await SipSocket.open(stage.parts.sip.port);
    try {
      await phone.register(LINA, password);
      // Asterisk asks whether the phone can be reached.
      phone.reply(await phone.next((message) => message.startsWith('OPTIONS')), '200 OK');
      await registered(LINA);
      const says = async (to: string, text: string): Promise<string> => {
        const fields = { From: `<sip:${LINA}@127.0.0.1>;tag=1`, 'Content-Type': 'text/plain' };
        const bytes = Buffer.from(text).toString('latin1');
        return phone.authenticated('MESSAGE', `sip:${to}@127.0.0.1`, { user: LINA, password }, fields, bytes);
      };
      expect(await says(REEM, ARABIC)).to.match(/^SIP\/2\.0 202 /);
      await eventually(() => has(reem, ARABIC), 'the text is at the phone of the colleague');
      expect(textsIn(reem.log()).find(({ body }) => body === ARABIC)!.from).to.include(`sip:${number}@`);
      expect(await says(CUSTOMER, ARABIC)).to.match(/^SIP\/2\.0 202 /);
      await smsc.until(() => smsc.submitted.length === 1);
      const [{ source, destination, body }] = smsc.submitted as [(typeof smsc.submitted)[number]];
      const text = Buffer.from(body).swap16().toString('utf16le');
      expect({ source, destination, text }).to.deep.equal({
        ...{ source: number.slice(1), destination: CUSTOMER.slice(1), text: ARABIC },
      });
      smsc.deliver({ source: CUSTOMER.slice(1), destination: number.slice(1), body: Buffer.from('Here') });
      const answer = await phone.next((message) => message.startsWith('MESSAGE') && message.endsWith('Here'));
      phone.reply(answer, '200 OK');
      expect(answer).to.include(`sip:${CUSTOMER}@`);
      expect(await says('nobody', 'Hello')).to.match(/^SIP\/2\.0 202 /);
      const notice = await phone.next((message) => message.includes('was not sent'));
      phone.reply(notice, '200 OK');
      expect(notice).to.include('sip:nobody@');
    } finally {
      phone.close();
    }
  });

  it('come from nobody without a password, and from no carrier', async () => {
    const { host, port } = stage.parts.sip;
    const stranger = await SipSocket.open(port);
    const carrier = await SipSocket.open(port, '127.0.0.1', stage.carrierPort);
    try {
      const fields = { From: `<sip:${SAMI}@127.0.0.1>;tag=1`, 'Content-Type': 'text/plain' };
      const asStranger = stranger.send('MESSAGE', `sip:${REEM}@${host}`, fields, 'Forged');
      expect(await stranger.next((message) => message.includes(asStranger))).to.match(/^SIP\/2\.0 401 /);
      const of = { ...fields, From: `<sip:${CUSTOMER}@127.0.0.1>;tag=1` };
      const asCarrier = carrier.send('MESSAGE', `sip:${stage.demo.lineNumber}@${host}`, of, 'Forged');
      expect(await carrier.next((message) => message.includes(asCarrier))).to.match(/^SIP\/2\.0 4\d\d /);
    } finally {
      stranger.close();
      carrier.close();
    }
    expect(has(reem, 'Forged')).to.equal(false);
    expect(await stage.latest()).to.deep.equal([]);
  });
});
