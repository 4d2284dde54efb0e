import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { NotifyMessage, VoicemailRow } from '../../../core/data/rows.js';
import { VoicemailNotices } from '../../../core/services/voicemail/notices.js';
import { quiet } from '../../support/logger.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { callRow, engineRow, insertRows, numberRow, type Ground } from '../../support/rows/rows.js';
import { boxRow, messageRow } from '../../support/rows/voicemail-rows.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

const OWNER = '+966501234599';

describe('the announcement of a voicemail message', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: MessageStage;
  let writer: Writer;
  let ground: Ground;
  let isEnabled = true;

  before(async () => {
    database = await testDatabase();
    stage = await MessageStage.start(database);
    writer = await stage.writer();
    ground = { organizationId: writer.organizationId, projectId: writer.projectId, engineId: newId() };
    await insertRows(database.db, 'engines', [engineRow({ id: ground.engineId, name: 'engine' })]);
  });
  after(async () => {
    await stage.close();
    await database.close();
  });
  beforeEach(() => (isEnabled = true));

  const notices = () =>
    new VoicemailNotices({
      ...{ voicemails: stage.stores.voicemails, messages: stage.stores.messages, send: stage.messaging.send },
      ...{ texts: stage.messaging.texts, organization: (id) => stage.stores.organizations.get(id) },
      ...{ isEnabled: () => isEnabled, clock: systemClock, log: quiet },
    });

  /** Leaves a message in a box that announces. @returns its id */
  async function leave(changes: Partial<VoicemailRow> = {}, notify: Partial<NotifyMessage> = {}): Promise<string> {
    const number = numberRow(ground, `+9661122${String(Math.floor(Math.random() * 1e5)).padStart(5, '0')}`);
    const notify_message: NotifyMessage = {
      ...({ channel: 'sms', to: OWNER, language: 'ar', template: null } as const),
      ...{ since: '2026-01-01T00:00:00.000Z' },
      ...notify,
    };
    await insertRows(database.db, 'numbers', [number]);
    await insertRows(database.db, 'voicemail_boxes', [boxRow(ground, number.id, { notify_message })]);
    const call = callRow(ground, { direction: 'inbound', status: 'ended', ended_at: new Date() });
    await insertRows(database.db, 'calls', [call]);
    const recording = recordingRow(call, { box_id: number.id });
    await insertRows(database.db, 'recordings', [recording]);
    const row = messageRow(recording, number.id, { created_at: new Date(), ...changes });
    await insertRows(database.db, 'voicemails', [row]);
    return row.id;
  }
  const sent = async (id: string) => {
    const { data } = await stage.good(writer.live, 'GET', `/messages?to=${encodeURIComponent(OWNER)}`);
    return (data as { metadata: { voicemail_id?: string }; text: string; class: string }[]).filter(
      ({ metadata }) => metadata.voicemail_id === id,
    );
  };

  it('says who called, how long, and what, once', async () => {
    const id = await leave({ transcription_status: 'completed', transcription_text: 'أين\n طلبي؟' });
    await Promise.all([notices().run(), notices().run()]);
    await notices().run();
    const [message, ...others] = await sent(id);
    expect(others).to.deep.equal([]);
    expect(message?.class).to.equal('service');
    expect(message?.text.replace(/[\u2066-\u2069]/g, '')).to.equal(
      'رسالة صوتية جديدة للرقم +966112223344 من +966501234517، مدتها ثانيتان.\n«أين طلبي؟»',
    );
  });

  it('is not repeated by a process that takes it over', async () => {
    const id = await leave({}, { language: 'en' });
    await notices().run();
    // The process that sent it died before it noted that.
    await database.db.query(
      `UPDATE voicemails SET noticed_at = NULL, notice_tried_at = now() - interval '2 minutes' WHERE id = $1`,
      [id],
    );
    await notices().run();
    expect((await sent(id)).map(({ text }) => text)).to.deep.equal([
      'New voicemail for +966112223344 from +966501234517, 2 s.',
    ]);
  });

  it('waits for the text, for two minutes', async () => {
    const [young, old] = [
      await leave({ transcription_status: 'pending' }),
      await leave({ transcription_status: 'pending', created_at: new Date(Date.now() - 130_000) }),
    ];
    await notices().run();
    expect(await sent(young)).to.deep.equal([]);
    expect(await sent(old)).to.have.length(1);
  });

  it('leaves out what came before it was switched on', async () => {
    const id = await leave({ created_at: new Date(Date.now() - 60_000) }, { since: new Date().toISOString() });
    await notices().run();
    expect(await sent(id)).to.deep.equal([]);
  });

  it('fills a template, and gives up if the message is refused or messages are off', async () => {
    const template = { channel: 'sms', name: 'voicemail', language: 'en', category: 'UTILITY' };
    const body = { ...template, body: 'Call {{1}} back ({{2}})', variables: ['+966501234517', '5 s'] };
    await stage.good(writer.live, 'POST', '/messages/templates', body);
    await stage.messaging.tasks.find(({ name }) => name.includes('templates'))?.run();
    const id = await leave({}, { language: 'en', template: 'voicemail' });
    const unknown = await leave({}, { template: 'no_such_template' });
    await notices().run();
    expect((await sent(id)).map(({ text }) => text)).to.deep.equal(['Call +966501234517 back (2 s)']);
    isEnabled = false;
    const off = await leave();
    await notices().run();
    for (const refused of [unknown, off]) expect(await sent(refused)).to.deep.equal([]);
    const left = await database.db.query('SELECT FROM voicemails WHERE noticed_at IS NULL AND id = ANY ($1)', [
      [id, unknown, off],
    ]);
    expect(left).to.deep.equal([]);
  });
});
