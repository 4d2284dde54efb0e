import type { ChatappAccountTable } from '../../../data/repositories/messaging/chatapp-accounts.js';
import type { ChatappAccountRow } from '../../../data/rows.js';
import type { Cipher } from '../../../model/access/cipher.js';
import type { ChatappAccount, ChatappAccounts } from '../../../ports/messaging/chatapp-accounts.js';

/** The numbers at the provider of the chat application, with their credentials opened. */
export class StoredChatappAccounts implements ChatappAccounts {
  constructor(
    private readonly table: Pick<ChatappAccountTable, 'hasLive' | 'live' | 'ofBusinesses'>,
    private readonly cipher: Pick<Cipher, 'open'>,
  ) {}

  isConfigured(projectId: string): Promise<boolean> {
    return this.table.hasLive(projectId);
  }

  async ofProject(projectId: string, number: string | null): Promise<ChatappAccount | null> {
    const row = await this.table.live(projectId, number);
    return row && this.#opened(row);
  }

  async ofBusinesses(businessAccountIds: readonly string[]): Promise<readonly ChatappAccount[]> {
    if (businessAccountIds.length === 0) return [];
    return (await this.table.ofBusinesses(businessAccountIds)).map((row) => this.#opened(row));
  }

  #opened(row: ChatappAccountRow): ChatappAccount {
    return {
      ...{ id: row.id, organizationId: row.organization_id, projectId: row.project_id },
      ...{ phoneNumber: row.phone_number, phoneNumberId: row.phone_number_id },
      businessAccountId: row.business_account_id,
      accessToken: this.cipher.open(row.access_token),
      appSecret: this.cipher.open(row.app_secret),
    };
  }
}
