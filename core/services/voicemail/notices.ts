import type { DueNotice, Voicemails } from '../../data/repositories/voicemail/voicemails.js';
import type { Messages } from '../../data/repositories/messaging/messages.js';
import type { OrganizationRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Channel } from '../../model/messaging/channels.js';
import { writtenLength } from '../../model/voicemail.js';
import { isolate } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { MessageContent, MessageTexts } from '../messaging/content.js';
import type { SendMessage } from '../messaging/send.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

export interface VoicemailNoticesOptions {
  readonly voicemails: Pick<Voicemails, 'takeNotices' | 'noticed'>;
  readonly messages: Pick<Messages, 'createdBy'>;
  readonly send: Pick<SendMessage, 'send'>;
  readonly texts: Pick<MessageTexts, 'template'>;
  readonly organization: (id: string) => Promise<OrganizationRow | null>;
  /** Whether the organization has messages over the channel. */
  readonly isEnabled: (channel: Channel, organization: OrganizationRow) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 2_000;
const BATCH_SIZE = 20;
const MOST_TEXT = 300;

/** Tells the owners of voicemail boxes about new messages, by a message with the text of the recording if there is one. */
export class VoicemailNotices implements PeriodicTask {
  readonly name = 'voicemail notices';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: VoicemailNoticesOptions) {}

  /** @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { voicemails, clock, log } = this.options;
    await inBatches(
      BATCH_SIZE,
      async (size) => {
        const due = await voicemails.takeNotices(clock.now(), size);
        for (const voicemail of due) {
          try {
            await this.#announce(voicemail);
          } catch (err) {
            if (!(err instanceof HatifError)) throw err;
            log.warn({ err, voicemail: voicemail.id }, 'a voicemail message is not announced: the message was refused');
          }
          await voicemails.noticed(voicemail.id, clock.now());
        }
        return due.length;
      },
      isStopping,
    );
  }

  async #announce(voicemail: DueNotice): Promise<void> {
    const { messages, send, organization } = this.options;
    const { id, box_id: keyId, organization_id, project_id: projectId, sandbox, notify } = voicemail;
    const owner = await organization(organization_id);
    // A process that died may have sent it.
    if (!owner || !this.options.isEnabled(notify.channel, owner)) return;
    if ((await messages.createdBy(projectId, keyId, id)) !== null) return;
    await send.send(
      {
        ...{ channel: notify.channel, to: notify.to, from: null, class: 'service' },
        ...{ content: await this.#contentOf(voicemail), metadata: { voicemail_id: id } },
        ...{ scheduledAt: null, validUntil: null },
      },
      {
        ...{ organization: owner, organizationId: organization_id, projectId, sandbox },
        ...{ keyId, requestId: id, agent: null },
      },
    );
  }

  async #contentOf(voicemail: DueNotice): Promise<MessageContent> {
    const { notify, project_id: projectId, sandbox } = voicemail;
    const { channel, language, template: name } = notify;
    if (name === null) return { text: textOf(voicemail), subject: null, extra: null };
    const template = await this.options.texts.template(channel, { name, language }, { projectId, sandbox });
    const values = [
      voicemail.from_number,
      writtenLength(voicemail.duration_ms, language),
      transcriptOf(voicemail) ?? '-',
    ];
    return { template: { name, language, variables: values.slice(0, template.variables.length) } };
  }
}

function textOf(voicemail: DueNotice): string {
  const { from_number: from, number, notify } = voicemail;
  const length = writtenLength(voicemail.duration_ms, notify.language);
  const transcript = transcriptOf(voicemail);
  const isArabic = notify.language === 'ar';
  const about = isArabic
    ? `رسالة صوتية جديدة للرقم ${isolate(number)} من ${isolate(from)}، مدتها ${length}.`
    : `New voicemail for ${number} from ${from}, ${length}.`;
  if (transcript === null) return about;
  return `${about}\n${isArabic ? `«${transcript}»` : `“${transcript}”`}`;
}

/** One line: providers refuse line breaks in the values of templates. */
function transcriptOf({ transcription_text: text }: DueNotice): string | null {
  const line = Array.from((text ?? '').replace(/\s+/g, ' ').trim());
  if (line.length === 0) return null;
  return line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT).join('')}…` : line.join('');
}
