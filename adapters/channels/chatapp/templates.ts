import { z } from 'zod';
import {
  TEMPLATE_CATEGORIES,
  type TemplateCategory,
  type TemplateStatus,
} from '../../../core/model/messaging/template.js';
import type { ChatappAccount, ChatappAccounts } from '../../../core/ports/messaging/chatapp-accounts.js';
import { ProviderUnavailable } from '../../../core/ports/messaging/provider-errors.js';
import type {
  ReviewedTemplate,
  SubmittedTemplate,
  TemplateProvider,
} from '../../../core/ports/messaging/template-provider.js';
import { componentsOf } from './components.js';
import { bodyOf, type GraphAnswer, type GraphClient, type GraphRequest } from './graph.js';

const FIELDS = 'id,status,category,rejected_reason';

const STATUSES: Readonly<Record<string, TemplateStatus>> = {
  APPROVED: 'approved',
  REJECTED: 'rejected',
  DISABLED: 'rejected',
  PAUSED: 'rejected',
};

const reviewed = z.object({
  id: z.string(),
  status: z.string().default('PENDING'),
  category: z.enum(TEMPLATE_CATEGORIES).optional().catch(undefined),
  rejected_reason: z.string().nullish(),
});
const listed = z.object({ data: z.array(reviewed.extend({ language: z.string(), name: z.string() })) });

/** An object does not exist, or the token cannot see it. */
const MISSING = 100;

/** Templates at WhatsApp, which reviews them. */
export class ChatappTemplates implements TemplateProvider {
  constructor(
    private readonly graph: Pick<GraphClient, 'ask'>,
    private readonly accounts: Pick<ChatappAccounts, 'ofProject'>,
  ) {}

  async create(projectId: string, template: SubmittedTemplate): Promise<ReviewedTemplate> {
    const account = await this.#account(projectId);
    // A process may have died after the provider had it: it must not be submitted twice.
    const known = await this.#find(account, template);
    if (known) return this.replace(projectId, known.providerId, template);
    const { name, language, category } = template;
    const json = { name, language, category, components: componentsOf(template) };
    const body = await this.#do(account, { method: 'POST', path: pathOf(account), json });
    return toReviewed(body, category);
  }

  async replace(projectId: string, providerId: string, template: SubmittedTemplate): Promise<ReviewedTemplate> {
    const account = await this.#account(projectId);
    const { category } = template;
    const json = { category, components: componentsOf(template) };
    await this.#do(account, { method: 'POST', path: `/${encodeURIComponent(providerId)}`, json });
    const now = await this.read(projectId, providerId);
    // What was decided before is not about the new content.
    return now ?? { providerId, status: 'pending', category, reason: null };
  }

  async read(projectId: string, providerId: string): Promise<ReviewedTemplate | null> {
    const account = await this.#account(projectId);
    const path = `/${encodeURIComponent(providerId)}?fields=${FIELDS}`;
    const answer = await this.graph.ask({ method: 'GET', path, token: account.accessToken });
    if (isMissing(answer)) return null;
    return toReviewed(bodyOf(answer), null);
  }

  async remove(projectId: string, name: string, providerId: string | null): Promise<void> {
    const account = await this.#account(projectId);
    const query = new URLSearchParams({ name, ...(providerId !== null && { hsm_id: providerId }) });
    const path = `${pathOf(account)}?${String(query)}`;
    const answer = await this.graph.ask({ method: 'DELETE', path, token: account.accessToken });
    if (!isMissing(answer)) bodyOf(answer);
  }

  async #find(
    account: ChatappAccount,
    { name, language, category }: SubmittedTemplate,
  ): Promise<ReviewedTemplate | null> {
    const query = new URLSearchParams({ name, language, fields: `${FIELDS},name,language`, limit: '100' });
    const body = await this.#do(account, { method: 'GET', path: `${pathOf(account)}?${String(query)}` });
    // The provider's filter finds names that contain the name.
    const found = listed.safeParse(body).data?.data.find((one) => one.name === name && one.language === language);
    return found ? toReviewed(found, category) : null;
  }

  async #do(account: ChatappAccount, request: Omit<GraphRequest, 'token'>): Promise<unknown> {
    return bodyOf(await this.graph.ask({ ...request, token: account.accessToken }));
  }

  async #account(projectId: string): Promise<ChatappAccount> {
    const account = await this.accounts.ofProject(projectId, null);
    if (!account) throw new ProviderUnavailable('the project has no number at the provider');
    return account;
  }
}

function isMissing(answer: GraphAnswer): boolean {
  return answer.kind === 'refused' && (answer.status === 404 || answer.code === MISSING);
}

function pathOf({ businessAccountId }: ChatappAccount): string {
  return `/${encodeURIComponent(businessAccountId)}/message_templates`;
}

function toReviewed(body: unknown, category: TemplateCategory | null): ReviewedTemplate {
  const { data } = reviewed.safeParse(body);
  if (!data) throw new ProviderUnavailable('the provider sent something unreadable');
  const { id, status, rejected_reason } = data;
  const reason = rejected_reason === 'NONE' ? null : (rejected_reason ?? null);
  return {
    ...{ providerId: id, status: STATUSES[status] ?? 'pending', reason },
    category: data.category ?? category ?? 'UTILITY',
  };
}
