import { expect } from 'chai';
import { SmsCatcher } from '../../../adapters/catcher/sms-catcher.js';
import type { CaughtMessage } from '../../../core/ports/messaging/message-catcher.js';
import { eventually } from '../../support/eventually.js';
import { Kannel, kannelMissing } from '../../support/peers/smpp/kannel.js';
import { skipBecause } from '../../support/skip.js';

/** Delivered, as Kannel reports it. */
const DELIVERED = '1';
const PERSON = '+966501234567';

describe('the SMSC of hatif catch-messages, to which Kannel binds', function () {
  this.timeout(60_000);
  const caught: CaughtMessage[] = [];
  let catcher: SmsCatcher | undefined;
  let kannel: Kannel | undefined;

  before(async function () {
    const missing = kannelMissing();
    if (missing !== null) skipBecause(this, missing);
    catcher = await SmsCatcher.start(0, (message) => caught.push(message));
    kannel = await Kannel.start(catcher.port);
  });
  after(async () => {
    await kannel?.close();
    await catcher?.close();
  });

  it('takes Arabic in one part and in several, and reports it as delivered', async () => {
    const texts = ['مرحبًا ٤٧١١', `${'أ'.repeat(100)} انتهى`];
    for (const [index, text] of texts.entries()) {
      await kannel!.send('Shop', PERSON, text);
      await eventually(() => caught.length > index, 'a message is caught');
    }
    expect(caught).to.deep.equal(
      texts.map((text) => ({ channel: 'sms', from: 'Shop', to: PERSON, subject: null, text, files: [] })),
    );
    await eventually(() => kannel!.receipts.length >= 2, 'receipts');
    expect(new Set(kannel!.receipts.map((receipt) => receipt.get('status')))).to.deep.equal(new Set([DELIVERED]));
  });

  it('brings the answers of people', async () => {
    expect(await catcher!.reply(PERSON, '966112345678', 'نعم، شكرًا')).to.equal(true);
    await eventually(() => kannel!.incoming.length > 0, 'the answer');
    expect(kannel!.incoming[0]!.get('text')).to.equal('نعم، شكرًا');
    expect(kannel!.incoming[0]!.get('from')).to.match(/966501234567$/);
  });
});
