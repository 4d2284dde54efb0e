import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import type { Settings } from '../../../../config/settings.js';
import { MailServer } from '../../peers/mail-server.js';
import { testDatabase, type TestDatabase } from '../../platform/database.js';
import { NOTICE_SECRET } from './mail-notice.js';
import { MessageStage, type Writer } from './message-stage.js';

export interface MailStageOptions {
  readonly settings: Partial<Settings>;
  /** Of the mail server. */
  readonly server?: Partial<SMTPServerOptions>;
}

/** A sender whose bounces come back, and a server that does not know addresses which begin with `nobody`. */
export const NOBODY_UNKNOWN: MailStageOptions = {
  settings: { MAIL_FROM: 'Hatif <hatif@example.com>', MESSAGE_BOUNCES_TO: 'bounces@example.com' },
  server: {
    onRcptTo: ({ address }, _session, callback) =>
      callback(
        address.startsWith('nobody') ? Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 }) : null,
      ),
  },
};

/** Messages by e-mail, which DKIM signs: a project, and the mail server that takes its mails. */
export class MailStage {
  private constructor(
    readonly database: TestDatabase,
    readonly mails: MailServer,
    readonly messages: MessageStage,
    readonly writer: Writer,
    private readonly folder: string,
  ) {}

  static async start({ settings, server }: MailStageOptions): Promise<MailStage> {
    const database = await testDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'hatif-dkim-'));
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const file = join(folder, 'dkim.pem');
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const mails = await MailServer.start(server);
    const messages = await MessageStage.start(database, {
      ...{ SMTP_URL: mails.url, MESSAGE_NOTICE_SECRET: NOTICE_SECRET },
      ...{ MAIL_DKIM_DOMAIN: 'example.com', MAIL_DKIM_SELECTOR: 'hatif', MAIL_DKIM_KEY: file },
      ...settings,
    });
    return new MailStage(database, mails, messages, await messages.writer([]), folder);
  }

  async close(): Promise<void> {
    await this.messages.close();
    await this.mails.close();
    await this.database.close();
    await rm(this.folder, { recursive: true });
  }
}
