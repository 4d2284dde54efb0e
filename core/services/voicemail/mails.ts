import type { DueMail, Voicemails } from '../../data/repositories/voicemail/voicemails.js';
import type { VoicemailRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { riyadhTime } from '../../model/riyadh.js';
import { spokenDuration } from '../../model/spoken/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { Logger } from '../../ports/logger.js';
import { MailError, type Mailer, type MailMessage } from '../../ports/mail.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { VoicemailService } from './messages.js';

export interface VoicemailMailsOptions {
  readonly voicemails: Voicemails;
  readonly messages: Pick<VoicemailService, 'audio'>;
  /** Null if no mail server is configured: messages wait until one is. */
  readonly mailer: Mailer | null;
  readonly log: Logger;
}

const INTERVAL_MS = 2_000;
const BATCH_SIZE = 20;
/** Doubles with each attempt. */
const FIRST_RETRY_SECONDS = 30;
/** About nine hours in total. */
const MAX_ATTEMPTS = 11;

/**
 * Mails new messages to the addresses of their boxes, with the audio if the box asks for it. Pending mails are in
 * PostgreSQL, which gives each one to a single process. Temporary failures are retried with growing pauses; permanent
 * failures are given up.
 */
export class VoicemailMails implements PeriodicTask {
  readonly name = 'voicemail mails';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: VoicemailMailsOptions) {}

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { mailer, voicemails } = this.options;
    if (!mailer) return;
    for (let more = true; more && !isStopping();) {
      const due = await voicemails.takeMails(BATCH_SIZE, FIRST_RETRY_SECONDS);
      for (const message of due) await this.#mail(mailer, message);
      more = due.length === BATCH_SIZE;
    }
  }

  async #mail(mailer: Mailer, message: DueMail): Promise<void> {
    const { voicemails, log } = this.options;
    const { id, mail_to: to, mail_attempts: attempts, with_audio: withAudio } = message;
    try {
      if (to !== null) await mailer.send(mailOf(message, to, withAudio ? await this.#audio(id) : null));
      await voicemails.mailDone(id);
    } catch (error) {
      if (!(error instanceof MailError || error instanceof HatifError)) throw error;
      const isFinal = attempts >= MAX_ATTEMPTS || (error instanceof MailError && error.kind === 'refused');
      log.warn(
        { err: error, voicemailId: id, attempts },
        isFinal ? 'giving up mailing a voicemail' : 'failed to mail a voicemail; will retry',
      );
      if (isFinal) await voicemails.mailDone(id);
    }
  }

  /** Null if the audio is permanently gone; the mail is sent without it. */
  async #audio(id: string): Promise<Uint8Array | null> {
    const stored = await this.options.voicemails.find(id);
    if (!stored) return null;
    try {
      return await this.options.messages.audio(stored);
    } catch (error) {
      if (error instanceof HatifError && error.code === 'VOICEMAIL_RECORDING_NOT_FOUND') return null;
      throw error;
    }
  }
}

/** In both languages, Arabic first, as everywhere in the product. */
function mailOf(message: VoicemailRow, to: string, audio: Uint8Array | null): MailMessage {
  const { from_number: from, number, duration_ms, created_at } = message;
  const seconds = Math.max(1, Math.round(duration_ms / 1000));
  const at = riyadhTime(created_at).replace('T', ' ').slice(0, 16);
  return {
    to,
    language: 'ar',
    subject: `${arabic`رسالة صوتية من ${from}`} · Voicemail from ${from}`,
    text: [
      arabic`رسالة صوتية جديدة للرقم ${number}`,
      arabic`من: ${from}`,
      `المدة: ${spokenDuration(seconds, 'ar')}`,
      arabic`الوقت: ${at} بتوقيت الرياض`,
      '',
      `A new voicemail message for ${number}`,
      `From: ${from}`,
      `Duration: ${seconds} s`,
      `Time: ${at} in Riyadh`,
      '',
    ].join('\n'),
    ...(audio && { attachments: [{ name: `voicemail-${message.id}.wav`, mediaType: 'audio/wav', content: audio }] }),
  };
}
