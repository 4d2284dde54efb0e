import { expect } from 'chai';
import { NetSmpp, netSmppMissing } from '../../support/peers/smpp/net-smpp.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { skipBecause } from '../../support/skip.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

describe('messages over the SMSC of Net::SMPP', function () {
  this.timeout(60_000);
  let database: TestDatabase | undefined;
  let smsc: NetSmpp | undefined;
  let stage: MessageStage | undefined;
  let writer: Writer;

  before(async function () {
    const missing = netSmppMissing();
    if (missing !== null) skipBecause(this, missing);
    smsc = await NetSmpp.start();
    database = await testDatabase();
    stage = await MessageStage.start(database, { SMPP_URLS: [smsc.account] });
    writer = await stage.writer();
  });
  after(async () => {
    await stage?.close();
    await smsc?.stop();
    await database?.close();
  });

  it('bind, and are delivered in Arabic, in the GSM alphabet and in several parts', async () => {
    const [own, peer] = [stage!, smsc!];
    await peer.until(() => peer.having('bound').length > 0);
    expect(peer.having('bound')).to.deep.equal([{ bound: true }]);
    const send = async (text: string): Promise<void> => {
      await own.reaches(writer.live, await own.sms(writer.live, { text }), 'delivered');
    };
    await send('مرحبًا ٤٧١١');
    await send('4711 {€}');
    await send('أ'.repeat(71));
    const submitted = peer.having('body');
    const utf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex');
    expect(submitted).to.have.length(4);
    expect(submitted[0]).to.include({
      ...{ source: 'HATIF', source_addr_ton: 5, destination: '966501234517', dest_addr_ton: 1 },
      ...{ data_coding: 8, esm_class: 0, registered_delivery: 1, body: utf16('مرحبًا ٤٧١١') },
    });
    // The extension table of 3GPP TS 23.038 §6.2.1.1: an escape before each brace and the euro sign.
    expect(submitted[1]).to.include({ data_coding: 0, body: '34373131201b281b651b29' });
    for (const [index, letters] of [67, 4].entries()) {
      const body = String(submitted[2 + index]?.body);
      expect(submitted[2 + index]).to.include({ data_coding: 8, esm_class: 0x40 });
      expect(body.slice(0, 6)).to.equal('050003');
      expect(body.slice(8)).to.equal(`020${index + 1}${utf16('أ'.repeat(letters))}`);
    }
    await peer.until(() => peer.having('receipt').length === 4);
    expect(peer.having('receipt')).to.deep.equal(Array.from({ length: 4 }, () => ({ receipt: 0 })));
  });
});
