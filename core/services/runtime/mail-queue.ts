import { HatifError } from '../../model/errors/index.js';
import type { Logger } from '../../ports/logger.js';
import { MailError, type Mailer, type MailMessage } from '../../ports/mail.js';
import { inBatches } from './batches.js';
import type { IsStopping } from './periodic-task.js';

/** A mail that is due. */
export interface DueMail {
  readonly id: string;
  /** Including this one. */
  readonly attempts: number;
}

/** Mails that wait in PostgreSQL, which gives each one to a single process. */
export interface MailQueue<Due extends DueMail> {
  /** Takes due mails. Each is due again after a pause that doubles with every attempt, unless {@link done} removes it. */
  take(limit: number, retrySeconds: number): Promise<readonly Due[]>;
  /** The mail was sent or given up. */
  done(id: string): Promise<void>;
  /** @returns null if nobody is to get it any more. @throws HatifError if it cannot be composed now */
  compose(due: Due): Promise<MailMessage | null>;
}

export interface MailContext {
  readonly mailer: Mailer;
  readonly log: Logger;
  /** The kind of mails, for the log. */
  readonly what: string;
}

const BATCH_SIZE = 20;
/** Doubles with each attempt. */
const FIRST_RETRY_SECONDS = 30;
/** About nine hours in total. */
const MAX_ATTEMPTS = 11;

/**
 * Sends mails until none is due. Temporary failures are retried with growing pauses; permanent failures are given up.
 * @throws DatabaseUnavailable
 */
export async function sendDueMails<Due extends DueMail>(
  queue: MailQueue<Due>,
  context: MailContext,
  isStopping: IsStopping,
): Promise<void> {
  const sendBatch = async (limit: number): Promise<number> => {
    const due = await queue.take(limit, FIRST_RETRY_SECONDS);
    for (const mail of due) await sendOne(queue, mail, context);
    return due.length;
  };
  await inBatches(BATCH_SIZE, sendBatch, isStopping);
}

async function sendOne<Due extends DueMail>(
  queue: MailQueue<Due>,
  mail: Due,
  { mailer, log, what }: MailContext,
): Promise<void> {
  const { id, attempts } = mail;
  try {
    const message = await queue.compose(mail);
    if (message) await mailer.send(message);
    await queue.done(id);
  } catch (error) {
    if (!(error instanceof MailError || error instanceof HatifError)) throw error;
    const isFinal = attempts >= MAX_ATTEMPTS || (error instanceof MailError && error.kind === 'refused');
    log.warn({ err: error, what, id, attempts }, isFinal ? 'giving up a mail' : 'failed to send a mail; will retry');
    if (isFinal) await queue.done(id);
  }
}
