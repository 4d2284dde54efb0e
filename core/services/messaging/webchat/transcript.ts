import type { Messages } from '../../../data/repositories/messaging/messages.js';
import type { MessageRow, MessageThreadRow, WebchatRow } from '../../../data/rows.js';
import { HatifError, invalidField, messagingProviderFailed } from '../../../model/errors/index.js';
import { composeMail } from '../../../model/mails/compose.js';
import { riyadhTime } from '../../../model/riyadh.js';
import { isoTime } from '../../../model/time.js';
import { MailError, type Mailer } from '../../../ports/mail.js';
import { takeOrRefuse, type RateLimiter } from '../../access/rate-limit.js';

/** One message of a transcript. */
export interface TranscriptLine {
  readonly message_id: string;
  readonly at: string;
  /** `person`: the visitor, or who else is on the other side. */
  readonly from: 'person' | 'agent';
  /** The name of the agent who wrote it, if one did. */
  readonly agent: string | null;
  readonly text: string;
  readonly file_name: string | null;
}

export interface ChatTranscriptsOptions {
  readonly messages: Pick<Messages, 'ofThread'>;
  readonly nameOf: (projectId: string, agent: string) => Promise<string | null>;
  /** Null if no mail server is set. */
  readonly mailer: Mailer | null;
}

/** The newest ones, which a mail or a page can show. */
const MOST_LINES = 5_000;
const RETRY_SECONDS = 30;
const MAILED = { limit: 3, seconds: 86_400 };

const WORDS = {
  en: { person: 'Visitor', agent: 'Team', file: 'File', subject: 'Your chat with us', own: 'You' },
  ar: { person: 'الزائر', agent: 'الفريق', file: 'ملف', subject: 'محادثتك معنا', own: 'أنت' },
} as const;
type Words = (typeof WORDS)['en' | 'ar'];

/** What was written in a conversation, in the order in which it was. */
export class ChatTranscripts {
  constructor(private readonly options: ChatTranscriptsOptions) {}

  async lines({ id, project_id }: Pick<MessageThreadRow, 'id' | 'project_id'>): Promise<readonly TranscriptLine[]> {
    const rows = await this.options.messages.ofThread(id, MOST_LINES);
    const agents = [...new Set(rows.flatMap(({ agent }) => agent ?? []))];
    const names = new Map(
      await Promise.all(
        agents.map(async (agent) => [agent, (await this.options.nameOf(project_id, agent)) ?? agent] as const),
      ),
    );
    return rows.map((row) => lineOf(row, row.agent === null ? null : (names.get(row.agent) ?? row.agent)));
  }

  /** As plain text, with the times of Riyadh. */
  async text(thread: Pick<MessageThreadRow, 'id' | 'project_id'>, language: 'en' | 'ar'): Promise<string> {
    const words = WORDS[language];
    return (await this.lines(thread)).map((line) => `${shown(line, words, words.person)}\n`).join('');
  }

  /**
   * Mails a visitor's own chat.
   * @throws HatifError CHANNEL_NOT_CONFIGURED without a mail server, NOT_FOUND for a chat without a message,
   * RATE_LIMIT_EXCEEDED, VALIDATION_ERROR for an address that the server refuses, INTERNAL_ERROR (502) if it failed
   */
  async mail(
    { id, thread_id, project_id, language }: WebchatRow,
    to: string,
    limiter: Pick<RateLimiter, 'take'>,
  ): Promise<void> {
    const { mailer } = this.options;
    if (mailer === null) throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'email' });
    const lines = thread_id === null ? [] : await this.lines({ id: thread_id, project_id });
    // Nobody can have Hatif write to strangers: somebody of the team has answered.
    if (!lines.some(({ from }) => from === 'agent')) {
      throw new HatifError('NOT_FOUND', { what: { en: 'a chat with an answer', ar: 'محادثة فيها رد' } });
    }
    await takeOrRefuse(limiter, `chat:mail:${id}`, MAILED.limit, MAILED.seconds);
    await takeOrRefuse(limiter, `chat:mail:to:${to}`, MAILED.limit, MAILED.seconds);
    const words = WORDS[language];
    const blocks = lines.map((line) => ({ kind: 'text', text: shown(line, words, words.own) }) as const);
    try {
      await mailer.send({ to, ...composeMail({ language, subject: words.subject, blocks }) });
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      if (error.kind === 'refused') throw invalidField('email', REFUSED);
      throw messagingProviderFailed(RETRY_SECONDS, error);
    }
  }
}

function lineOf({ id, direction, body, content, created_at }: MessageRow, agent: string | null): TranscriptLine {
  return {
    ...{ message_id: id, at: isoTime(created_at), from: direction === 'inbound' ? 'person' : 'agent', agent },
    ...{ text: body ?? '', file_name: content?.media?.file_name ?? null },
  };
}

function shown({ at, from, agent, text, file_name }: TranscriptLine, words: Words, person: string): string {
  const who = from === 'person' ? person : (agent ?? words.agent);
  const file = file_name === null ? [] : [`[${words.file}: ${file_name}]`];
  const time = riyadhTime(new Date(at)).replace('T', ' ').slice(0, 16);
  return `${time} · ${who}: ${[text, ...file].filter((part) => part !== '').join(' ')}`;
}

const REFUSED = { en: 'is not an address that takes mail', ar: 'ليس عنوانًا يستقبل البريد' };
