import type { Database, Queryable } from '../../database.js';
import { isId } from '../../../model/ids.js';
import { chatappAccountsOf, messageSendersOf } from '../../models/messaging.js';
import type { ChatappAccountRow, MessageSenderRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

/** Numbers at the provider of the chat application. Each is a sender, too, with the same id. */
export class ChatappAccountTable {
  readonly #table;
  readonly #senders;

  constructor(private readonly db: Database) {
    this.#table = chatappAccountsOf(db);
    this.#senders = messageSendersOf(db);
  }

  /** @throws unique violations of `message_senders_name` and `chatapp_accounts_number` */
  create(row: ChatappAccountRow, sender: MessageSenderRow): Promise<void> {
    return this.db.transaction(async (tx: Queryable) => {
      await this.#senders.insert(sender, tx);
      await this.#table.insert(row, tx);
    });
  }

  /** The account created by a request of this key, or null. */
  async createdBy(projectId: string, keyId: string, requestId: string): Promise<ChatappAccountRow | null> {
    const [row] = await this.db.query<ChatappAccountRow>(
      `SELECT account.* FROM chatapp_accounts AS account JOIN message_senders AS sender USING (id)
       WHERE sender.project_id = $1 AND sender.created_by_key = $2 AND sender.request_id = $3`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /** Oldest first. A live caller sees those of the sandbox, too. */
  list({ projectId, sandbox }: ProjectKind): Promise<ChatappAccountRow[]> {
    return this.#table.find({ project_id: projectId, ...(sandbox && { sandbox }) }, ['id']);
  }

  async get({ projectId, sandbox }: ProjectKind, id: string): Promise<ChatappAccountRow | null> {
    return isId(id) ? this.#table.findOne({ id, project_id: projectId, sandbox }) : null;
  }

  async update(
    id: string,
    change: Partial<Pick<ChatappAccountRow, 'access_token' | 'app_secret'>> & Pick<ChatappAccountRow, 'updated_at'>,
  ): Promise<void> {
    await this.#table.update({ id }, change);
  }

  /** Removes the sender, too. */
  async remove({ projectId, sandbox }: ProjectKind, id: string): Promise<boolean> {
    const row = await this.get({ projectId, sandbox }, id);
    return row !== null && (await this.#senders.remove({ id, project_id: projectId, sandbox })) === 1;
  }

  async hasLive(projectId: string): Promise<boolean> {
    const [row] = await this.db.query(`SELECT FROM chatapp_accounts WHERE project_id = $1 AND NOT sandbox LIMIT 1`, [
      projectId,
    ]);
    return row !== undefined;
  }

  /** The live number of a project. @param number null: its first one */
  async live(projectId: string, number: string | null): Promise<ChatappAccountRow | null> {
    const [row] = await this.db.query<ChatappAccountRow>(
      `SELECT * FROM chatapp_accounts
       WHERE project_id = $1 AND NOT sandbox AND phone_number = coalesce($2, phone_number) ORDER BY id LIMIT 1`,
      [projectId, number],
      { prepared: true },
    );
    return row ?? null;
  }

  /** The live numbers below these accounts of the provider. */
  ofBusinesses(businessAccountIds: readonly string[]): Promise<ChatappAccountRow[]> {
    return this.db.query<ChatappAccountRow>(
      `SELECT * FROM chatapp_accounts WHERE business_account_id = ANY ($1::text[]) AND NOT sandbox ORDER BY id`,
      [businessAccountIds],
    );
  }
}
