import type { DueVoicemail, Voicemails } from '../../data/repositories/voicemail/voicemails.js';
import type { VoicemailRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { composeMail } from '../../model/mails/compose.js';
import { writtenLength } from '../../model/voicemail.js';
import { arabic } from '../../model/wording/wording.js';
import type { Logger } from '../../ports/logger.js';
import type { Mailer, MailMessage } from '../../ports/mail.js';
import { shownTime } from '../mails/shown-time.js';
import { sendDueMails, type MailQueue } from '../runtime/mail-queue.js';
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

/** Mails new messages to the addresses of their boxes, with the audio if the box asks for it. */
export class VoicemailMails implements PeriodicTask {
  readonly name = 'voicemail mails';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: VoicemailMailsOptions) {}

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { mailer, voicemails, log } = this.options;
    if (!mailer) return;
    const queue: MailQueue<DueVoicemail> = {
      take: (limit, retrySeconds) => voicemails.takeMails(limit, retrySeconds),
      done: (id) => voicemails.mailDone(id),
      compose: async (message) => {
        const { id, mail_to: to, with_audio: withAudio } = message;
        return to === null ? null : mailOf(message, to, withAudio ? await this.#audio(id) : null);
      },
    };
    await sendDueMails(queue, { mailer, log, what: this.name }, isStopping);
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
  const at = shownTime(created_at);
  const mail = composeMail(
    {
      language: 'ar',
      subject: arabic`رسالة صوتية من ${from}`,
      blocks: [
        { kind: 'text', text: arabic`رسالة صوتية جديدة للرقم ${number}` },
        {
          kind: 'facts',
          facts: [
            ['من', from],
            ['المدة', writtenLength(duration_ms, 'ar')],
            ['الوقت', at.ar],
          ],
        },
      ],
    },
    {
      language: 'en',
      subject: `Voicemail from ${from}`,
      blocks: [
        { kind: 'text', text: `A new voicemail message for ${number}` },
        {
          kind: 'facts',
          facts: [
            ['From', from],
            ['Duration', writtenLength(duration_ms, 'en')],
            ['Time', at.en],
          ],
        },
      ],
    },
  );
  const attachment = audio && { name: `voicemail-${message.id}.wav`, mediaType: 'audio/wav', content: audio };
  return { to, ...mail, ...(attachment && { attachments: [attachment] }) };
}
