import { z } from 'zod';
import type { MessageRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { isAdvertising } from '../../model/messaging/message.js';

/** Who follows a link, and in which message it was. */
export interface Subscription {
  readonly projectId: string;
  readonly messageId: string;
  /** An e-mail address in lower case. */
  readonly address: string;
}

export const UNSUBSCRIBE_PATH = '/v1/messages/unsubscribe';

/** Keeps the links apart from everything else that the installation seals. */
const PURPOSE = 'unsubscribe';
const content = z.tuple([z.literal(PURPOSE), z.uuid(), z.uuid(), z.string()]);

/**
 * Makes and reads the links by which people unsubscribe. A link has no end and needs no row: it names the person and the
 * message, and only the installation can make or read it.
 */
export class UnsubscribeLinks {
  /** @param publicUrl without a slash at its end; null if it is not known, or not HTTPS, which RFC 8058 requires */
  constructor(
    private readonly cipher: Pick<Cipher, 'seal' | 'open'>,
    private readonly publicUrl: string | null,
  ) {}

  /** Whether messages can have a link. */
  get isOffered(): boolean {
    return this.publicUrl !== null;
  }

  /** The link of a message; null if it needs none. */
  urlFor(message: Pick<MessageRow, 'channel' | 'class' | 'project_id' | 'id' | 'recipient'>): string | null {
    const { channel, class: of, project_id, id, recipient } = message;
    if (this.publicUrl === null || channel !== 'email' || of === null || !isAdvertising(of)) return null;
    const token = this.cipher.seal(JSON.stringify([PURPOSE, project_id, id, recipient.toLowerCase()]));
    return `${this.publicUrl}${UNSUBSCRIBE_PATH}/${token}`;
  }

  /** Null if the installation did not make the token. */
  read(token: string): Subscription | null {
    let opened: unknown;
    try {
      opened = JSON.parse(this.cipher.open(token));
    } catch {
      return null;
    }
    const { data } = content.safeParse(opened);
    if (!data) return null;
    const [, projectId, messageId, address] = data;
    return { projectId, messageId, address };
  }
}
