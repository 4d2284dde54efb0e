import { violatedUnique } from '../../../data/errors.js';
import type { ChatappAccountTable } from '../../../data/repositories/messaging/chatapp-accounts.js';
import type { ProjectKind } from '../../../data/repositories/project-kind.js';
import type { ChatappAccountRow } from '../../../data/rows.js';
import type { Cipher } from '../../../model/access/cipher.js';
import { HatifError, invalidField, messagingProviderFailed, type Phrase } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import type { Clock } from '../../../ports/clock.js';
import type { ChatappCredentials } from '../../../ports/messaging/chatapp-accounts.js';
import { ProviderRefusal, ProviderUnavailable } from '../../../ports/messaging/provider-errors.js';
import type { ChannelAccess } from '../channel-access.js';
import { refusedBy } from '../refused-by.js';
import type { TemplateEditor } from '../templates.js';

export interface NewChatappAccount {
  /** E.164. */
  readonly phoneNumber: string;
  readonly phoneNumberId: string;
  readonly businessAccountId: string;
  readonly accessToken: string;
  readonly appSecret: string;
}

export interface ManageChatappAccountsOptions {
  readonly accounts: ChatappAccountTable;
  readonly access: Pick<ChannelAccess, 'assertEnabled'>;
  readonly credentials: ChatappCredentials;
  readonly cipher: Pick<Cipher, 'seal' | 'open'>;
  readonly clock: Clock;
}

const RETRY_SECONDS = 30;

/**
 * Manages the numbers that projects have at the provider of the chat application. Live credentials are checked at the
 * provider before they are stored, so nobody registers the number of somebody else. Those of the sandbox never leave.
 */
export class ManageChatappAccounts {
  constructor(private readonly options: ManageChatappAccountsOptions) {}

  /** @throws HatifError INSUFFICIENT_PERMISSIONS, VALIDATION_ERROR, INTERNAL_ERROR (502) if the provider is away */
  async create(given: NewChatappAccount, editor: TemplateEditor): Promise<ChatappAccountRow> {
    const { accounts, access, cipher, clock } = this.options;
    access.assertEnabled('chatapp', editor);
    const { phoneNumber, phoneNumberId, businessAccountId, accessToken, appSecret } = given;
    if (!editor.sandbox) await this.#prove(given);
    const [id, now] = [newId(), clock.now()];
    const owner = {
      ...{ id, organization_id: editor.organizationId, project_id: editor.projectId, sandbox: editor.sandbox },
      created_at: now,
    };
    const row: ChatappAccountRow = {
      ...owner,
      ...{ phone_number: phoneNumber, phone_number_id: phoneNumberId, business_account_id: businessAccountId },
      ...{ access_token: cipher.seal(accessToken), app_secret: cipher.seal(appSecret), updated_at: now },
    };
    try {
      await accounts.create(row, {
        ...owner,
        ...{ channel: 'chatapp', sender: phoneNumber, status: 'approved', rejection_reason: null, decided_at: now },
        ...{ created_by_key: editor.keyId, request_id: editor.requestId },
      });
    } catch (error) {
      if (violatedUnique(error) === 'message_senders_name') throw invalidField('phone_number', TAKEN);
      if (violatedUnique(error) === 'chatapp_accounts_number') throw invalidField('phone_number_id', TAKEN);
      throw error;
    }
    return row;
  }

  createdBy(projectId: string, keyId: string, requestId: string): Promise<ChatappAccountRow | null> {
    return this.options.accounts.createdBy(projectId, keyId, requestId);
  }

  list(kind: ProjectKind): Promise<ChatappAccountRow[]> {
    return this.options.accounts.list(kind);
  }

  /**
   * Replaces credentials; absent ones stay.
   * @throws HatifError NOT_FOUND, also for one of the other kind; otherwise as {@link create} does
   */
  async change(
    kind: ProjectKind,
    id: string,
    { accessToken, appSecret }: Partial<Pick<NewChatappAccount, 'accessToken' | 'appSecret'>>,
  ): Promise<ChatappAccountRow> {
    const { accounts, cipher, clock } = this.options;
    const row = await accounts.get(kind, id);
    if (!row) throw unknownAccount(id);
    if (!kind.sandbox && accessToken !== undefined) {
      const { phone_number, phone_number_id, business_account_id } = row;
      const known = { phoneNumberId: phone_number_id, businessAccountId: business_account_id };
      await this.#prove({ ...known, phoneNumber: phone_number, accessToken });
    }
    const change = {
      ...(accessToken !== undefined && { access_token: cipher.seal(accessToken) }),
      ...(appSecret !== undefined && { app_secret: cipher.seal(appSecret) }),
      updated_at: clock.now(),
    };
    await accounts.update(id, change);
    return { ...row, ...change };
  }

  /** Messages that wait for the number fail. @throws HatifError NOT_FOUND, also for one of the other kind */
  async remove(kind: ProjectKind, id: string): Promise<void> {
    if (!(await this.options.accounts.remove(kind, id))) throw unknownAccount(id);
  }

  async #prove(given: Omit<NewChatappAccount, 'appSecret'>): Promise<void> {
    let proved: { readonly phoneNumber: string };
    try {
      proved = await this.options.credentials.prove(given);
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw messagingProviderFailed(RETRY_SECONDS, error);
      if (!(error instanceof ProviderRefusal)) throw error;
      throw invalidField(error.isUnauthorized ? 'access_token' : 'phone_number_id', refusedBy(error));
    }
    if (proved.phoneNumber !== given.phoneNumber) throw invalidField('phone_number', OTHER_NUMBER);
  }
}

function unknownAccount(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', {
    what: { en: `the number ${id} of the chat application`, ar: `رقم تطبيق المحادثة \`${id}\`` },
  });
}

const TAKEN: Phrase = { en: 'is registered already', ar: 'مسجَّل من قبل' };
const OTHER_NUMBER: Phrase = {
  en: 'is not the number that phone_number_id has at the provider',
  ar: 'ليس الرقم الذي يحمله `phone_number_id` لدى المزوّد',
};
