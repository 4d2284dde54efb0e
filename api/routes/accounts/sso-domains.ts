import { z } from 'zod';
import type { SsoDomainRow } from '../../../core/data/rows.js';
import { challengeRecord } from '../../../core/model/accounts/domains.js';
import { timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { SsoDomainService } from '../../../core/services/single-sign-on/domains.js';
import { route, type Route } from '../../http/route.js';

const TAG = 'Single sign-on';

export const domainObject = z
  .strictObject({
    domain: z.string(),
    status: z.enum(['pending', 'verified']),
    verified_by: z.enum(['dns', 'administrator']).nullable(),
    record: z
      .strictObject({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .describe('The record of the DNS that proves the domain'),
    forced: z.boolean().describe('Whether its people have no other way in (`forced_domains` of `PUT /v1/sso`)'),
    verified_at: timeOutput.nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'SsoDomain' });

export const domainText = z.string().max(253).describe('Such as `example.com`; its subdomains are others');
export const domainParams = z.strictObject({ domain: z.string().max(253).toLowerCase() });

export function ssoDomainRoutes({ domains }: { readonly domains: SsoDomainService }): Route[] {
  const shared = { tag: TAG, keyKind: 'user', permission: 'sso:write' } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/sso/domains',
      operationId: 'listSsoDomains',
      summary: 'List the domains of the organization',
      summaryAr: 'عرض نطاقات المؤسسة',
      description: 'By name; at most 50.',
      responses: {
        200: { schema: z.strictObject({ data: z.array(domainObject) }), description: 'The domains' },
      },
      errors: [],
      handler: async ({ user }) => ({ status: 200, body: { data: (await domains.list(user)).map(presentDomain) } }),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/sso/domains',
      operationId: 'claimSsoDomain',
      summary: 'Claim a domain',
      summaryAr: 'المطالبة بنطاق',
      description:
        'The identity provider and the directory name people with addresses in verified domains only. Add `record` to the DNS, then verify. ' +
        'A repetition answers the same.',
      body: z.strictObject({ domain: domainText }),
      auditFields: ['domain'],
      responses: { 201: { schema: domainObject, description: 'The domain, with the record that proves it' } },
      errors: ['SSO_DOMAIN_TAKEN'],
      handler: async ({ user, body }) => ({
        status: 201,
        body: presentDomain(await domains.claim(user, body.domain)),
      }),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/sso/domains/:domain/verify',
      operationId: 'verifySsoDomain',
      summary: 'Verify a domain',
      summaryAr: 'توثيق نطاق',
      description:
        'Looks for the record now. Several organizations may claim a domain; the first that proves it has it, until it removes it.',
      params: domainParams,
      responses: { 200: { schema: domainObject, description: 'The verified domain' } },
      errors: ['NOT_FOUND', 'SSO_DOMAIN_NOT_VERIFIED', 'SSO_DOMAIN_TAKEN'],
      handler: async ({ user, params: { domain } }) => ({
        status: 200,
        body: presentDomain(await domains.verify(user, domain)),
      }),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/v1/sso/domains/:domain',
      operationId: 'removeSsoDomain',
      summary: 'Give up a domain',
      summaryAr: 'التخلي عن نطاق',
      description: 'Its people sign in as before. Members stay.',
      params: domainParams,
      responses: { 204: { schema: null, description: 'Given up' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user, params: { domain } }) => {
        await domains.remove(user, domain);
        return { status: 204 };
      },
    }),
  ];
}

export function presentDomain(row: SsoDomainRow): z.output<typeof domainObject> {
  return {
    domain: row.domain,
    status: row.verified_at === null ? 'pending' : 'verified',
    verified_by: row.verified_by,
    record: { type: 'TXT', ...challengeRecord(row.domain, row.token) },
    forced: row.forced,
    verified_at: isoTime(row.verified_at),
    created_at: isoTime(row.created_at),
  };
}
