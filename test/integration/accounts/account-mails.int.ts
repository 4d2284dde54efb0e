import { expect } from 'chai';
import { SmtpMailer } from '../../../adapters/mail/smtp.js';
import {
  addAccountMail,
  type AccountMail,
  type AccountMailData,
  type AccountMailKind,
} from '../../../core/data/repositories/mails/account-mails.js';
import { Mailbox } from '../../../core/data/repositories/mails/mailbox.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { systemClock, type Clock } from '../../../core/ports/clock.js';
import type { Mailer } from '../../../core/ports/mail.js';
import { Mails } from '../../../core/services/mails/mails.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { quiet } from '../../support/logger.js';
import { MailServer } from '../../support/peers/mail-server.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

const LINK = 'https://voice.example/console/confirm?token=ct_secret&x=1';
const link = TEST_CIPHER.seal(LINK);
const at = '2026-11-25T13:41:00.000Z';
const HOUR = 3_600_000;

/** One mail of each kind, and what it says in both languages. */
const MAILS: { readonly [K in AccountMailKind]: readonly [AccountMailData[K], ...(readonly string[])] } = {
  confirm_email: [{ name: 'ريم', link }, LINK, 'POST /v1/me/email/confirm', 'تأكيد العنوان', 'Confirm the address'],
  reset_password: [{ name: 'ريم', link }, LINK, 'POST /v1/password/reset', 'كلمة مرور جديدة', 'a new password'],
  invite: [
    { organization: 'Reem Trading', inviter: 'Sam', role: 'developer', link },
    ...[LINK, 'POST /v1/invites/accept', 'Reem Trading', 'Sam', 'مطوّر', 'with the role developer'],
  ],
  owner_created: [{ name: 'ريم', organization: 'Reem Trading', link }, LINK, 'Reem Trading', 'مالكها', 'its owner'],
  new_device: [
    { name: 'ريم', ip: '203.0.113.7', user_agent: 'Firefox', at },
    ...['203.0.113.7', 'Firefox', '2026-11-25 16:41', 'جهاز جديد', 'new device'],
  ],
  session_reuse: [{ name: 'ريم', ip: '203.0.113.7', at }, '203.0.113.7', 'أُنهيت الجلسة', 'the session was ended'],
  password_changed: [{ name: 'ريم', at }, '2026-11-25 16:41', 'غُيّرت كلمة مرور', 'was changed'],
  second_factor_changed: [
    { name: 'ريم', change: 'passkey_added', at },
    ...['2026-11-25 16:41', 'أُضيف مفتاح مرور', 'A passkey was added'],
  ],
  production_decided: [
    { organization: 'Reem Trading', decision: 'rejected', reason: 'The registration has expired.' },
    ...['Reem Trading', 'The registration has expired.', 'رُفض طلب', 'was rejected'],
  ],
  signup: [{ name: 'ريم', link }, LINK, 'POST /v1/signup/confirm', 'إكمال التسجيل', 'Complete the sign-up'],
  signup_known: [{ name: 'ريم' }, 'ولديك حساب به', 'has an account already'],
  email_changed: [{ name: 'ريم', masked_email: 'r••••@example.com' }, 'r••••@example.com', 'غُيّر عنوان', 'was changed'],
};

describe('The mails to people', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let server: MailServer;
  let passedMs = 0;
  let refusal: Error | null = null;
  const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + passedMs) };

  before(async () => {
    database = await testDatabase();
    server = await MailServer.start({ onRcptTo: (_, __, callback) => callback(refusal) });
  });
  after(async () => {
    await server.close();
    await database.close();
  });
  afterEach(async () => {
    refusal = null;
    passedMs = 0;
    await database.db.query('DELETE FROM owner_mails');
  });

  const smtp = () => new SmtpMailer({ url: server.url, from: 'Hatif <hatif@example.com>' });
  const mails = (mailer: Mailer | null = smtp(), cipher: Cipher = TEST_CIPHER) =>
    new Mails({ mailbox: new Mailbox(database.db), mailer, cipher, clock, log: quiet });
  const add = <K extends AccountMailKind>(mail: AccountMail<K>) => addAccountMail(database.db, mail, clock.now());
  const waiting = async (): Promise<number> =>
    (await database.db.query<{ count: number }>(`SELECT count(*)::int AS count FROM owner_mails`))[0]!.count;
  const resetTo = (to: string) => add({ to, locale: 'ar', kind: 'reset_password', data: { name: 'ريم', link } });

  for (const [kind, [data, ...parts]] of Object.entries(MAILS) as [
    AccountMailKind,
    [AccountMailData[AccountMailKind], ...string[]],
  ][]) {
    it(`say in both languages, as HTML and as text: ${kind}`, async () => {
      for (const locale of ['ar', 'en'] as const) {
        const to = `${kind}.${locale}@example.com`;
        await add<AccountMailKind>({ to, locale, kind, data });
        await mails().run();
        const { text, html, source } = await server.mailTo(to);
        for (const part of parts) {
          expect(text.replace(/[\u2060\u2068\u2069]/g, ''), `${locale}: ${part}`).to.include(part);
          expect(html.replace(/[\u2060\u2068\u2069]/g, '').replaceAll('&amp;', '&'), locale).to.include(part);
        }
        expect(html).to.match(new RegExp(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`));
        expect(source).to.match(new RegExp(`^Content-Language: ${locale}`, 'm'));
        const isArabicFirst = text.search(/[\u0621-\u064a]{4}/) < text.search(/[a-z]{3} [a-z]{3}/i);
        expect(isArabicFirst, text).to.equal(locale === 'ar');
      }
      expect(await waiting()).to.equal(0);
    });
  }

  it('keep the token sealed until they are sent', async () => {
    await resetTo('sealed@example.com');
    const [row] = await database.db.query<{ data: object }>(`SELECT data FROM owner_mails`);
    expect(JSON.stringify(row)).to.not.include('ct_secret');
  });

  it('are not written if the change that they report is rolled back', async () => {
    const failed = database.db.transaction(async (tx) => {
      await addAccountMail(
        tx,
        { to: 'x@example.com', locale: 'en', kind: 'password_changed', data: { name: 'Sam', at } },
        clock.now(),
      );
      throw new Error('the change failed');
    });
    expect(await failureOf(failed)).to.have.property('message', 'the change failed');
    expect(await waiting()).to.equal(0);
  });

  it('are sent once, whatever the number of processes', async () => {
    await resetTo('once@example.com');
    await Promise.all([mails().run(), mails().run(), mails().run()]);
    expect(server.mails.filter(({ to }) => to.includes('once@example.com'))).to.have.length(1);
  });

  it('are retried while the server refuses for now, and given up if it refuses for good', async () => {
    await resetTo('busy@example.com');
    refusal = Object.assign(new Error('try again later'), { responseCode: 451 });
    await mails().run();
    refusal = null;
    await mails().run();
    expect(await waiting(), 'not before it is due').to.equal(1);
    passedMs = 31_000;
    await mails().run();
    expect(await waiting()).to.equal(0);
    await resetTo('unknown@example.com');
    refusal = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
    await mails().run();
    expect(await waiting()).to.equal(0);
  });

  it('wait two days for a mail server', async () => {
    await resetTo('late@example.com');
    passedMs = 47 * HOUR;
    await mails(null).run();
    expect(await waiting()).to.equal(1);
    passedMs = 49 * HOUR;
    await mails(null).run();
    expect(await waiting()).to.equal(0);
  });

  it('are given up if the installation has another secret, and the others are sent', async () => {
    const other = new Cipher('another secret for tests, of forty characters');
    await resetTo('lost@example.com');
    await add({ to: 'other@example.com', locale: 'en', kind: 'password_changed', data: { name: 'Sam', at } });
    await mails(smtp(), other).run();
    expect(await waiting()).to.equal(0);
    expect(server.mails.flatMap(({ to }) => to))
      .to.include('other@example.com')
      .and.not.include('lost@example.com');
  });
});
