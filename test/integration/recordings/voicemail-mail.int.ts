import { expect } from 'chai';
import { SmtpMailer } from '../../../adapters/mail/smtp.js';
import { Voicemails } from '../../../core/data/repositories/voicemail/voicemails.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { RecordingLinks } from '../../../core/services/recordings/links.js';
import { VoicemailMails } from '../../../core/services/voicemail/mails.js';
import { VoicemailService } from '../../../core/services/voicemail/messages.js';
import { quiet } from '../../support/logger.js';
import { MailServer } from '../../support/peers/mail-server.js';
import { RecordingsStage } from '../../support/stages/recordings-stage.js';
import { insertRows, numberRow } from '../../support/rows/rows.js';
import { boxRow, messageRow } from '../../support/rows/voicemail-rows.js';

const AUDIO = Buffer.from('this is what was said');
const TO = 'office@example.com';

describe('The e-mail about a voicemail message', function () {
  this.timeout(60_000);
  let stage: RecordingsStage;
  let numberId: string;
  let isRefusing: Error | null = null;
  let server: MailServer;
  let mails: VoicemailMails;

  before(async () => {
    stage = await RecordingsStage.open();
    const { db } = stage.database;
    const number = numberRow(stage.ground, '+966112223344');
    numberId = number.id;
    await insertRows(db, 'numbers', [number]);
    await insertRows(db, 'voicemail_boxes', [boxRow(stage.ground, numberId, { notify_email: TO })]);
    server = await MailServer.start({
      onRcptTo: (_, __, callback) => callback(isRefusing),
    });
    const voicemails = new Voicemails(db);
    const { recordings, removal, stores, clock } = stage;
    const links = new RecordingLinks(new Cipher('a secret for links, of thirty-two characters'), clock);
    const messages = new VoicemailService({ voicemails, recordings, removal, stores, links, clock });
    const mailer = new SmtpMailer({ url: server.url, from: 'Hatif <voicemail@example.com>' });
    mails = new VoicemailMails({ voicemails, messages, mailer, log: quiet });
  });
  after(async () => {
    await server.close();
    await stage.database.db.query('DELETE FROM voicemails');
    await stage.close();
  });
  afterEach(() => {
    isRefusing = null;
    stage.cable.restore();
  });

  async function leave(recorded: object = {}): Promise<string> {
    const call = await stage.call({ direction: 'inbound', kind: 'inbound' });
    const recording = await stage.recording(call, AUDIO, { channels: 1, box_id: numberId, ...recorded });
    const row = messageRow(recording, numberId, { mail_to: TO, mail_due_at: new Date() });
    await insertRows(stage.database.db, 'voicemails', [row]);
    return row.id;
  }
  const dueOf = async (id: string): Promise<{ mail_due_at: Date | null; mail_attempts: number }> =>
    (
      await stage.database.db.query<{ mail_due_at: Date | null; mail_attempts: number }>(
        'SELECT mail_due_at, mail_attempts FROM voicemails WHERE id = $1',
        [id],
      )
    )[0]!;
  const count = (): number => server.mails.length;

  it('is sent once, with caller and audio, in Arabic and English', async () => {
    const id = await leave();
    await Promise.all([mails.run(), mails.run()]);
    await mails.run();
    expect(count()).to.equal(1);
    const mail = await server.mailTo(TO);
    expect(mail.text).to.include('+966112223344').and.include('+966501234517').and.include('رسالة صوتية جديدة');
    expect(mail.source).to.include(`voicemail-${id}.wav`);
    expect(mail.source.replace(/\s/g, '')).to.include(AUDIO.toString('base64'));
    expect((await dueOf(id)).mail_due_at).to.equal(null);
  });

  it('omits the audio if the box is configured without it', async () => {
    const { db } = stage.database;
    await db.query('UPDATE voicemail_boxes SET notify_audio = false');
    const before = count();
    const id = await leave();
    await mails.run();
    expect(count()).to.equal(before + 1);
    const { source, text } = server.mails.at(-1)!;
    expect(text).to.include('+966501234517');
    expect(source).not.to.include(id).and.not.to.include('audio/wav');
    await db.query('UPDATE voicemail_boxes SET notify_audio = true');
  });

  it('is retried while the server or the storage is unavailable', async () => {
    isRefusing = Object.assign(new Error('try again later'), { responseCode: 451 });
    const [refused, inS3] = [await leave(), await leave({ storage: 's3' })];
    stage.cable.cut();
    const before = count();
    await mails.run();
    expect(count()).to.equal(before);
    for (const id of [refused, inS3]) {
      const { mail_due_at, mail_attempts } = await dueOf(id);
      expect(mail_attempts).to.equal(1);
      expect(mail_due_at!.getTime()).to.be.above(Date.now() + 20_000);
    }
    isRefusing = null;
    stage.cable.restore();
    await mails.run();
    expect(count(), 'not sent before it is due').to.equal(before);
    await stage.database.db.query(
      `UPDATE voicemails SET mail_due_at = now() - interval '1 second' WHERE mail_due_at IS NOT NULL`,
    );
    await mails.run();
    expect(count()).to.equal(before + 2);
  });

  it('is abandoned if the address is invalid, and is sent without audio that is missing', async () => {
    isRefusing = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
    const id = await leave();
    await mails.run();
    expect((await dueOf(id)).mail_due_at).to.equal(null);
    isRefusing = null;
    const lost = await leave({ storage_key: 'lost.wav' });
    await stage.stores.of('local').remove('lost.wav');
    const before = count();
    await mails.run();
    expect(count()).to.equal(before + 1);
    expect((await server.mailTo(TO)).source).not.to.include(`voicemail-${lost}.wav`);
  });
});
