import { HatifError } from '../../model/errors/index.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { MessageClass } from '../../model/messaging/message.js';

/** A message that is about to be accepted. */
export interface MessageSubject {
  readonly organizationId: string;
  readonly projectId: string;
  readonly sandbox: boolean;
  readonly channel: Channel;
  /** E.164, or an address of the channel. */
  readonly to: string;
  readonly class: MessageClass;
  /** When it is to be sent. */
  readonly at: Date;
  readonly isScheduled: boolean;
  /** Whether it is made from an approved template. */
  readonly isTemplate: boolean;
}

/** One rule that messages must keep. One that needs more than this, such as consent, has it from its own maker. */
export interface AdmissionCheck {
  /** Names it for people who ask why a message is refused: `destination_class`. */
  readonly rule: string;
  /** Who made the rule. */
  readonly source: 'platform' | 'project' | 'recipient' | 'regulation';
  /** Whether it is about the message at all; absent: about each one. */
  readonly concerns?: (message: MessageSubject) => boolean;
  /** @throws HatifError with which the message is refused */
  readonly check: (message: MessageSubject) => Promise<void>;
  /**
   * The same for many messages of one project, channel and class, with fewer look-ups: each one's refusal, in their
   * order. Absent: each is checked by itself.
   */
  readonly checkAll?: (messages: readonly MessageSubject[]) => Promise<readonly (HatifError | null)[]>;
}

/** The gate that every message passes before it is stored, whatever asks for it. */
export class MessageGate {
  /** @param checks in their order: the first refusal counts */
  constructor(private readonly checks: readonly AdmissionCheck[]) {}

  /** Every check with its refusal; null: the message passes it. */
  async judge(message: MessageSubject): Promise<readonly (readonly [AdmissionCheck, HatifError | null])[]> {
    return Promise.all(
      this.checks.map(async (check) => {
        return [check, isConcerned(check, message) ? await refusalOf(check.check(message)) : null] as const;
      }),
    );
  }

  /** The first refusal of each of many messages of one project, channel and class; null: it passes. */
  async judgeAll(messages: readonly MessageSubject[]): Promise<readonly (HatifError | null)[]> {
    const refusals = messages.map((): HatifError | null => null);
    for (const admission of this.checks) {
      const { check, checkAll } = admission;
      const left = messages.flatMap((message, index) =>
        refusals[index] === null && isConcerned(admission, message) ? [{ message, index }] : [],
      );
      if (left.length === 0) continue;
      const subjects = left.map(({ message }) => message);
      const judged = checkAll
        ? await checkAll(subjects)
        : await Promise.all(subjects.map((message) => refusalOf(check(message))));
      for (const [place, { index }] of left.entries()) refusals[index] = judged[place] ?? null;
    }
    return refusals;
  }

  /** @throws HatifError as the checks do */
  async admit(message: MessageSubject): Promise<void> {
    for (const admission of this.checks) if (isConcerned(admission, message)) await admission.check(message);
  }
}

function isConcerned({ concerns }: AdmissionCheck, message: MessageSubject): boolean {
  return concerns?.(message) ?? true;
}

/** The error with which work refuses; null if it does not. @throws any other error */
export async function refusalOf(work: Promise<unknown>): Promise<HatifError | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof HatifError) return error;
    throw error;
  }
}
