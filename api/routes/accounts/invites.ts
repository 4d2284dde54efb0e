import { z } from 'zod';
import type { InviteView } from '../../../core/data/repositories/accounts/invites.js';
import { ROLES } from '../../../core/model/access/roles.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { AcceptInvite } from '../../../core/services/accounts/accept-invite.js';
import type { InviteService } from '../../../core/services/accounts/invites.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { agentExtension, projectIds } from './member-fields.js';
import { assertPrivate } from './private.js';

const TAG = 'Members';

export interface InviteRoutesServices {
  readonly invites: InviteService;
  readonly accept: AcceptInvite;
  readonly now: () => Date;
}

const LOCALES = ['ar', 'en'] as const;

const shown = {
  organization: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  expires_at: timeOutput,
};

const inviteObject = z
  .strictObject({
    id: idOutput,
    email: shown.email,
    role: shown.role,
    project_ids: z.array(idOutput).nullable().describe('Null: all projects'),
    agent: z.string().nullable(),
    status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
    inviter: z.string().nullable().describe('Name of the member who invited; null once that member is gone'),
    sent_at: timeOutput.describe('Of the last mail'),
    expires_at: shown.expires_at,
    created_at: timeOutput,
  })
  .meta({ id: 'Invite' });

const lookupObject = z.strictObject({ ...shown, inviter: z.string().nullable() }).meta({ id: 'InviteLookup' });
const acceptedObject = z
  .strictObject({ user_id: idOutput, organization: shown.organization, email: shown.email, role: shown.role })
  .meta({ id: 'AcceptedInvite' });

const params = z.strictObject({ invite_id: idParam('INVITE_NOT_FOUND') });
const token = z.string().min(1).max(128).describe('From the link in the mail');
/** What a token can fail with. */
const TOKEN_FAILS = ['INVITE_NOT_FOUND', 'INVITE_NOT_PENDING', 'INVITE_EXPIRED'] as const;

export function inviteRoutes(services: InviteRoutesServices): Route[] {
  return [...forInvitees(services), ...forMembers(services)];
}

function forMembers({ invites, now }: InviteRoutesServices): Route[] {
  const shared = { tag: TAG, keyKind: 'user', permission: 'members:write' } as const;
  const present = (invite: InviteView) => presentInvite(invite, now());
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/invites',
      operationId: 'listInvites',
      summary: 'List invitations',
      summaryAr: 'عرض الدعوات',
      description: 'The invitations of the organization, newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(inviteObject), description: 'One page of invitations' } },
      errors: [],
      handler: async ({ user, query, cursors }) => {
        const rows = await invites.page(user, cursors.read(query.cursor), query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/invites',
      operationId: 'createInvite',
      summary: 'Invite a person',
      summaryAr: 'دعوة شخص',
      description:
        'Mails a link that works once, for seven days. It replaces a pending invitation to the same address. The role must not have ' +
        'permissions that you lack, and only an owner invites owners (`INVITE_ROLE_INVALID`).',
      body: z.strictObject({
        email: z.email().max(254),
        role: z
          .string()
          .max(64)
          .meta({ examples: [...ROLES] }),
        project_ids: projectIds.nullable().default(null),
        agent: agentExtension.nullable().default(null),
        locale: z.enum(LOCALES).default('ar').describe('The language that the mail shows first'),
      }),
      auditFields: ['email', 'role', 'project_ids', 'agent'],
      responses: { 201: { schema: inviteObject, description: 'The invitation' } },
      errors: ['INVITE_ROLE_INVALID', 'INVITE_ALREADY_MEMBER'],
      handler: async ({ user, body }) => {
        const { project_ids, ...rest } = body;
        return { status: 201, body: present(await invites.invite(user, { ...rest, projectIds: project_ids })) };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/invites/:invite_id/resend',
      operationId: 'resendInvite',
      summary: 'Send an invitation again',
      summaryAr: 'إعادة إرسال دعوة',
      description: 'With a new link for seven days, also if the invitation has expired; the old link stops working.',
      params,
      responses: { 200: { schema: inviteObject, description: 'The invitation' } },
      errors: ['INVITE_NOT_FOUND', 'INVITE_NOT_PENDING', 'INVITE_ROLE_INVALID'],
      handler: async ({ user, params: { invite_id } }) => ({
        status: 200,
        body: present(await invites.resend(user, invite_id)),
      }),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/v1/invites/:invite_id',
      operationId: 'revokeInvite',
      summary: 'Withdraw an invitation',
      summaryAr: 'سحب دعوة',
      params,
      responses: { 204: { schema: null, description: 'Withdrawn: the link does not work any more' } },
      errors: ['INVITE_NOT_FOUND', 'INVITE_NOT_PENDING'],
      handler: async ({ user, params: { invite_id } }) => {
        await invites.revoke(user, invite_id);
        return { status: 204 };
      },
    }),
  ];
}

/** The invited person has no account yet: the token is the proof. */
function forInvitees({ accept }: InviteRoutesServices): Route[] {
  const shared = { tag: TAG, keyKind: 'none', scope: null } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/invites/lookup',
      operationId: 'lookupInvite',
      summary: 'Read an invitation by its token',
      summaryAr: 'قراءة دعوة برمزها',
      query: z.strictObject({ token }),
      responses: { 200: { schema: lookupObject, description: 'What the invitation offers' } },
      errors: TOKEN_FAILS,
      handler: async ({ query }) => {
        const { organization, email, role, inviter, expires_at } = await accept.lookup(query.token);
        return { status: 200, body: { organization, email, role, inviter, expires_at: isoTime(expires_at) } };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/invites/accept',
      operationId: 'acceptInvite',
      summary: 'Accept an invitation',
      summaryAr: 'قبول دعوة',
      description:
        'Makes a user with this name and password, whose address counts as confirmed; then sign in with `POST /v1/sessions`. Of two ' +
        'acceptances at the same moment one succeeds. A user of another organization must leave it first (`INVITE_EMAIL_OTHER_ORG`).',
      body: z.strictObject({
        token,
        name: z.string().trim().min(1).max(100).optional(),
        password: z.string().max(1024).optional(),
        locale: z.enum(LOCALES).optional().describe('Defaults to the language of the invitation'),
      }),
      responses: { 201: { schema: acceptedObject, description: 'The new member' } },
      errors: [
        ...TOKEN_FAILS,
        'INVITE_ALREADY_MEMBER',
        'INVITE_EMAIL_OTHER_ORG',
        'INVITE_ACCOUNT_DETAILS_REQUIRED',
        'PASSWORD_VALIDATION_FAILED',
      ],
      handler: async ({ body, isPrivate }) => {
        if (body.password !== undefined) assertPrivate({ isPrivate });
        const { invite, user } = await accept.accept(body);
        const { organization, email, role } = invite;
        return { status: 201, body: { user_id: user.id, organization, email, role } };
      },
    }),
  ];
}

function presentInvite(invite: InviteView, now: Date): z.output<typeof inviteObject> {
  const { id, email, role, project_ids, agent, status, inviter, sent_at, expires_at, created_at } = invite;
  return {
    id,
    email,
    role,
    project_ids: project_ids && [...project_ids],
    agent,
    status: status === 'pending' && expires_at <= now ? 'expired' : status,
    inviter,
    sent_at: isoTime(sent_at),
    expires_at: isoTime(expires_at),
    created_at: isoTime(created_at),
  };
}
