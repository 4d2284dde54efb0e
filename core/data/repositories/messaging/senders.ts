import { isId } from '../../../model/ids.js';
import type { Channel } from '../../../model/messaging/channels.js';
import type { SenderStatus } from '../../../model/messaging/sender.js';
import type { Database } from '../../database.js';
import { messageSendersOf } from '../../models/messaging.js';
import type { MessageSenderRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

/** The project to which messages for an address belong. */
export interface AddressOwner {
  readonly organization_id: string;
  readonly project_id: string;
}

export class MessageSenders {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = messageSendersOf(db);
  }

  /** @throws a unique violation of `message_senders_name` */
  create(row: MessageSenderRow): Promise<void> {
    return this.#table.insert(row);
  }

  createdBy(projectId: string, keyId: string, requestId: string): Promise<MessageSenderRow | null> {
    return this.#table.findOne({ project_id: projectId, created_by_key: keyId, request_id: requestId });
  }

  /** Newest first, only those before `before`. A live caller sees those of the sandbox, too. */
  list(
    { projectId, sandbox }: ProjectKind,
    channel: Channel | null,
    before: string | null,
    limit: number,
  ): Promise<MessageSenderRow[]> {
    return this.db.query<MessageSenderRow>(
      `SELECT * FROM message_senders WHERE project_id = $1 AND (sandbox OR NOT $2)
         AND ($3::text IS NULL OR channel = $3) AND ($4::uuid IS NULL OR id < $4)
       ORDER BY id DESC LIMIT $5`,
      [projectId, sandbox, channel, before, limit],
    );
  }

  /** The senders that the project may use now. */
  async approved({ projectId, sandbox }: ProjectKind, channel: Channel): Promise<readonly string[]> {
    const rows = await this.db.query<Pick<MessageSenderRow, 'sender'>>(
      `SELECT sender FROM message_senders
       WHERE project_id = $1 AND sandbox = $2 AND channel = $3 AND status = 'approved' ORDER BY sender`,
      [projectId, sandbox, channel],
      { prepared: true },
    );
    return rows.map(({ sender }) => sender);
  }

  async remove({ projectId, sandbox }: ProjectKind, id: string): Promise<boolean> {
    return isId(id) && (await this.#table.remove({ id, project_id: projectId, sandbox })) === 1;
  }

  /** For the operator: those of all organizations, newest first. @param before the last one of the page before */
  page(status: SenderStatus | null, before: string | null, limit: number): Promise<MessageSenderRow[]> {
    return this.db.query<MessageSenderRow>(
      `SELECT * FROM message_senders
       WHERE NOT sandbox AND ($1::text IS NULL OR status = $1) AND ($2::uuid IS NULL OR id < $2)
       ORDER BY id DESC LIMIT $3`,
      [status, before, limit],
    );
  }

  /** Those of all organizations that await approval, oldest first. */
  waiting(): Promise<MessageSenderRow[]> {
    return this.#table.find({ status: 'pending', sandbox: false }, ['id']);
  }

  /** Decides about a sender that is pending or was decided otherwise. @returns null if there is none */
  async decide(
    id: string,
    status: Exclude<SenderStatus, 'pending'>,
    reason: string | null,
    at: Date,
  ): Promise<MessageSenderRow | null> {
    if (!isId(id)) return null;
    const change = { status, rejection_reason: reason, decided_at: at } as const;
    await this.#table.update({ id, sandbox: false }, change);
    return this.#table.findOne({ id, sandbox: false });
  }

  /**
   * The project whose approved sender an address is, or which has the number. If several share it, the one that wrote to
   * the person last.
   */
  async ownerOf(channel: Channel, address: string, person: string): Promise<AddressOwner | null> {
    const [row] = await this.db.query<AddressOwner>(
      `SELECT owner.organization_id, owner.project_id
       FROM (
         SELECT organization_id, project_id FROM message_senders
         WHERE channel = $1 AND sender = $2 AND status = 'approved' AND NOT sandbox
         UNION
         SELECT organization_id, project_id FROM numbers
         WHERE e164 = $2 AND project_id IS NOT NULL AND state = 'assigned' AND NOT sandbox
       ) AS owner
       LEFT JOIN message_threads AS thread ON thread.project_id = owner.project_id AND thread.channel = $1
         AND thread.address = $3 AND NOT thread.sandbox
       ORDER BY thread.last_message_at DESC NULLS LAST, owner.project_id LIMIT 1`,
      [channel, address, person],
    );
    return row ?? null;
  }
}
