import { expect } from 'chai';
import { SmtpMailer } from '../../../adapters/mail/smtp.js';
import { Mailbox } from '../../../core/data/repositories/mails/mailbox.js';
import type { Mailer } from '../../../core/ports/mail.js';
import { Mails } from '../../../core/services/mails/mails.js';
import { quiet } from '../../support/logger.js';
import { MailServer } from '../../support/peers/mail-server.js';
import type { WebhookReceiver } from '../../support/peers/receiver.js';
import { deliveryEach, type WebhookStage } from '../../support/stages/webhook-stage.js';

const OWNER = 'owner@example.com';
const HOUR = 3_600_000;

describe('The mail about a disabled webhook endpoint', function () {
  this.timeout(60_000);
  let stage: WebhookStage;
  let receiver: WebhookReceiver;
  let endpoint: string;
  let server: MailServer;
  let isRefusing: Error | null = null;
  deliveryEach((...made) => ([stage, receiver, endpoint] = made));

  before(async () => {
    server = await MailServer.start({ onRcptTo: (_, __, callback) => callback(isRefusing) });
  });
  after(() => server.close());
  beforeEach(() => contact(OWNER));
  afterEach(async () => {
    isRefusing = null;
    await stage.database.db.query('DELETE FROM owner_mails');
  });

  const contact = (address: string | null) =>
    stage.database.db.query(`UPDATE organizations SET contact_email = $2 WHERE id = $1`, [
      stage.ground.organizationId,
      address,
    ]);
  function mails(mailer: Mailer | null = new SmtpMailer({ url: server.url, from: 'Hatif <hatif@example.com>' })) {
    const { cipher, clock, database } = stage;
    return new Mails({ mailbox: new Mailbox(database.db), mailer, cipher, clock, log: quiet });
  }
  const count = (): number => server.mails.length;
  const waiting = async (): Promise<number> =>
    (await stage.database.db.query<{ count: number }>(`SELECT count(*)::int AS count FROM owner_mails`))[0]!.count;

  /** The receiver is gone: the endpoint is disabled. */
  async function disable(): Promise<void> {
    receiver.script = () => 410;
    await stage.commitCall(['initiated']);
    await stage.pass();
    expect(await stage.endpoints.get(stage.owner, endpoint)).to.include({ status: 'disabled' });
  }

  it('is sent once to the owner, in Arabic and English, with the endpoint and the reason', async () => {
    const before = count();
    await disable();
    await Promise.all([mails().run(), mails().run()]);
    await mails().run();
    expect(count() - before).to.equal(1);
    const { text, source } = await server.mailTo(OWNER);
    const { url } = await stage.endpoints.get(stage.owner, endpoint);
    expect(text).to.include(url).and.include(endpoint).and.include('410');
    expect(text).to.include('عُطّلت نقطة Webhook').and.include('was disabled').and.not.include('sandbox');
    expect(source).to.match(/^Auto-Submitted: auto-generated$/m);
    expect(await waiting()).to.equal(0);
  });

  it('is also sent after five days of failures', async () => {
    receiver.script = () => 500;
    const before = count();
    for (let day = 0; day < 5; day += 1) {
      await stage.commitCall(['initiated']);
      await stage.pass();
      await stage.clock.advance(24 * HOUR);
    }
    await stage.pass(1_000);
    await mails().run();
    expect(count() - before).to.equal(1);
    expect((await server.mailTo(OWNER)).text)
      .to.include('for five days')
      .and.include('خمسة أيام');
  });

  it('is not written when a client disables the endpoint, or the owner has no address', async () => {
    await stage.endpoints.update(stage.owner, endpoint, { status: 'disabled' });
    expect(await waiting()).to.equal(0);
    await stage.endpoints.update(stage.owner, endpoint, { status: 'enabled' });
    await contact(null);
    await disable();
    expect(await waiting()).to.equal(0);
  });

  it('goes to the address that the owner has when it is sent', async () => {
    await disable();
    await contact('new@example.com');
    await mails().run();
    expect((await server.mailTo('new@example.com')).text).to.include(endpoint);
  });

  it('is retried with growing pauses while the mail server refuses it for now', async () => {
    const before = count();
    await disable();
    isRefusing = Object.assign(new Error('try again later'), { responseCode: 451 });
    await mails().run();
    await stage.clock.advance(29_000);
    await mails().run();
    isRefusing = null;
    expect(count()).to.equal(before);
    await mails().run();
    expect(count(), 'not before it is due').to.equal(before);
    await stage.clock.advance(2_000);
    await mails().run();
    expect(count() - before).to.equal(1);
  });

  it('is given up if the address is refused, and after two days without a mail server', async () => {
    const before = count();
    await disable();
    isRefusing = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
    await mails().run();
    expect(await waiting()).to.equal(0);
    isRefusing = null;
    receiver.script = () => 204;
    await stage.endpoints.update(stage.owner, endpoint, { status: 'enabled' });
    await disable();
    await mails(null).run();
    expect(await waiting()).to.equal(1);
    await stage.clock.advance(49 * HOUR);
    await mails(null).run();
    expect(await waiting()).to.equal(0);
    expect(count()).to.equal(before);
  });
});
