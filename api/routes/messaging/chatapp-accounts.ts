import { z } from 'zod';
import type { ChatappAccountRow } from '../../../core/data/rows.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ManageChatappAccounts } from '../../../core/services/messaging/chatapp/manage.js';
import type { VerifyTokens } from '../../../core/services/messaging/chatapp/verify-tokens.js';
import { kindOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { idParam, phoneNumber } from '../../http/schema/schemas.js';

export interface ChatappAccountRoutesServices {
  readonly chatappAccounts: ManageChatappAccounts;
  readonly verifyTokens: VerifyTokens;
}

const PATH = '/v1/messages/chatapp-accounts';

const providerId = z
  .string()
  .regex(/^\d{1,32}$/)
  .meta({ examples: ['106540352242922'] });
const secret = z.string().min(8).max(2000);

const accountObject = z
  .strictObject({
    id: idOutput,
    phone_number: z.string().meta({ examples: ['+966112345678'] }),
    phone_number_id: z.string(),
    business_account_id: z.string(),
    verify_token: z.string().describe('For the provider’s settings of webhooks'),
    sandbox: z.boolean(),
    created_at: timeOutput,
    updated_at: timeOutput,
  })
  .meta({ id: 'ChatappAccount' });

/** Numbers at the provider of the chat application. Their credentials are written, never read. */
export function chatappAccountRoutes({ chatappAccounts, verifyTokens }: ChatappAccountRoutesServices): Route[] {
  const common = { tag: 'Messages', keyKind: 'any', flag: 'messages' } as const;
  const writing = { ...common, scope: 'messages:write' } as const;
  const params = z.strictObject({ account_id: idParam('NOT_FOUND') });
  const present = (row: ChatappAccountRow): z.output<typeof accountObject> => {
    const { id, phone_number, phone_number_id, business_account_id, sandbox, created_at, updated_at } = row;
    return {
      ...{ id, phone_number, phone_number_id, business_account_id, verify_token: verifyTokens.of(id), sandbox },
      ...{ created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
    };
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listChatappAccounts',
      summary: 'List the numbers of the chat application',
      summaryAr: 'عرض أرقام تطبيق المحادثة',
      scope: 'messages:read',
      responses: {
        200: { schema: z.strictObject({ data: z.array(accountObject) }), description: 'All, oldest first' },
      },
      errors: [],
      handler: async (ctx) => ({
        status: 200,
        body: { data: (await chatappAccounts.list(kindOf(ctx))).map(present) },
      }),
    }),
    route({
      ...writing,
      method: 'POST',
      path: PATH,
      operationId: 'createChatappAccount',
      summary: 'Connect a number of the chat application',
      summaryAr: 'ربط رقم في تطبيق المحادثة',
      description:
        'A number that the organization has at WhatsApp (Cloud API). Hatif reads it with the token, subscribes the application to the notices of its account, and stores the credentials encrypted. The number is then a sender of the project. The credentials of a sandbox key are stored, and never used.',
      body: z.strictObject({
        phone_number: phoneNumber(),
        phone_number_id: providerId,
        business_account_id: providerId,
        access_token: secret.describe('Of a system user, so that it does not expire'),
        app_secret: secret.describe('Of the application that signs the notices'),
      }),
      auditFields: ['phone_number_id', 'business_account_id'],
      responses: { 201: { schema: accountObject, description: 'The number' } },
      errors: ['INVALID_PHONE_NUMBER', 'INTERNAL_ERROR'],
      recover: async ({ requestId }, { caller }) => {
        const made = await chatappAccounts.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 201, body: present(made) };
      },
      handler: async ({ caller, body, requestId }) => {
        const { organization, organizationId, id: keyId } = caller;
        const editor = { ...kindOf({ caller }), organization, organizationId, keyId, requestId };
        const { phone_number, phone_number_id, business_account_id, access_token, app_secret } = body;
        const account = {
          ...{ phoneNumber: phone_number, phoneNumberId: phone_number_id, businessAccountId: business_account_id },
          ...{ accessToken: access_token, appSecret: app_secret },
        };
        return { status: 201, body: present(await chatappAccounts.create(account, editor)) };
      },
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: `${PATH}/:account_id`,
      operationId: 'changeChatappAccount',
      summary: 'Replace credentials of a number',
      summaryAr: 'استبدال بيانات اعتماد رقم',
      description: 'What is absent stays. A new token is checked at the provider first.',
      params,
      body: z.strictObject({ access_token: secret.optional(), app_secret: secret.optional() }),
      responses: { 200: { schema: accountObject, description: 'The number' } },
      errors: ['NOT_FOUND', 'INTERNAL_ERROR'],
      handler: async (ctx) => {
        const { access_token, app_secret } = ctx.body;
        const change = {
          ...(access_token !== undefined && { accessToken: access_token }),
          ...(app_secret !== undefined && { appSecret: app_secret }),
        };
        return { status: 200, body: present(await chatappAccounts.change(kindOf(ctx), ctx.params.account_id, change)) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: `${PATH}/:account_id`,
      operationId: 'deleteChatappAccount',
      summary: 'Disconnect a number',
      summaryAr: 'فصل رقم',
      description: 'Deletes the credentials and the sender. Messages that wait for the number fail.',
      params,
      responses: { 204: { schema: null, description: 'Disconnected' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        await chatappAccounts.remove(kindOf(ctx), ctx.params.account_id);
        return { status: 204 };
      },
    }),
  ];
}
