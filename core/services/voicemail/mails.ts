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
  /** Null where no mail server is set: what is to be mailed waits until one is. */
  readonly mailer: Mailer | null;
  readonly log: Logger;
}

const INTERVAL_MS = 2_000;
const BATCH = 20;
/** Then twice as long each time. */
const FIRST_RETRY_SECONDS = 30;
/** In all about nine hours. */
const MOST_ATTEMPTS = 11;

/**
 * Mails new messages, with their audio where their boxes want that, to whom their boxes say. What waits stands in PostgreSQL, which gives each to one process; what
 * the mail server does not take now is tried again with growing pauses, what it never will is given up.
 */
export class VoicemailMails implements PeriodicTask {
  readonly name = 'voicemail mails';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: VoicemailMailsOptions) {}

  /** Until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { mailer, voicemails } = this.options;
    if (!mailer) return;
    for (let goOn = true; goOn && !isStopping();) {
      const due = await voicemails.takeMails(BATCH, FIRST_RETRY_SECONDS);
      for (const message of due) await this.#mail(mailer, message);
      goOn = due.length === BATCH;
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
      const isFinal = attempts >= MOST_ATTEMPTS || (error instanceof MailError && error.kind === 'refused');
      log.warn({ err: error, voicemailId: id, attempts }, isFinal ? 'a voicemail is not mailed' : 'mailed later');
      if (isFinal) await voicemails.mailDone(id);
    }
  }

  /** Null where the audio is gone for good: the message is told all the same. */
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

/** In both languages, Arabic first as everywhere that people hear or read both. */
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
