import { expect } from 'chai';
import { UdpProxy } from '../../support/peers/udp-proxy.js';
import { TestPlatform } from '../../support/platform/platform.js';

/** More than count, one of which only the SIP edge may send; names of SIP are the same in any case. */
const HEADERS = ['x-hatif-order-id: A-18, "ü" 100%', 'X-Hatif-Edge: softphone/1001/guessed', 'X-Other: no'];

describe('a softphone whose INVITE has headers of its own', function () {
  this.timeout(120_000);
  let stage: TestPlatform;
  let line: UdpProxy;

  before(async () => {
    stage = await TestPlatform.start();
    line = await UdpProxy.start(stage.parts.sip.port, (packet) => ({ packet: withHeaders(packet) }));
  });
  after(async () => {
    await stage.stop();
    line.close();
  });

  it('gets them back on the events of its call', async () => {
    const { password } = stage.agent('1001');
    const phone = await stage.softphone('1001', { registrar: { host: '127.0.0.1', port: line.port, password } });
    const { id, callId } = await stage.dialIn(phone, stage.demo.lineNumber);
    await phone.waitFor('CALL_ESTABLISHED', { callId: id });
    await phone.hangup(id);
    const metadata = { web_order_id: 'A-18, "ü" 100%' };
    expect((await stage.over(callId)).metadata).to.deep.equal(metadata);
    const events = stage.receiver.events().filter(({ type }) => type.startsWith('call.'));
    expect(events.map(({ data }) => data.metadata)).to.deep.equal(events.map(() => metadata));
    stage.assertSound();
  });
});

/** The INVITE with more headers; any other packet as it is. */
function withHeaders(packet: Buffer): Buffer {
  const text = packet.toString('latin1');
  if (!text.startsWith('INVITE ')) return packet;
  const more = Buffer.from(HEADERS.map((header) => `${header}\r\n`).join('')).toString('latin1');
  return Buffer.from(text.replace('\r\n', `\r\n${more}`), 'latin1');
}
