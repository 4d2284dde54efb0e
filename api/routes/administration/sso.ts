import { z } from 'zod';
import type { OrganizationRow } from '../../../core/data/rows.js';
import { unknownOrganization } from '../../../core/model/errors/index.js';
import type { SsoDomainService } from '../../../core/services/single-sign-on/domains.js';
import { notConfigured, type SsoSettingsService } from '../../../core/services/single-sign-on/settings.js';
import { route, type Route } from '../../http/route.js';
import { idParam } from '../../http/schema/schemas.js';
import { domainObject, domainParams, presentDomain } from '../accounts/sso-domains.js';
import { byAdministrator } from './administrator.js';

const ofOrganization = z.strictObject({ organization_id: idParam('NOT_FOUND') });
const ofDomain = domainParams.extend(ofOrganization.shape);

const THIS = { en: 'this organization', ar: 'هذه المؤسسة' };

export interface AdministeredSsoServices {
  readonly organizations: { get(id: string): Promise<OrganizationRow | null> };
  readonly settings: SsoSettingsService;
  readonly domains: SsoDomainService;
}

/** What administrators decide about the single sign-on of organizations. */
export function administeredSsoRoutes({ organizations, settings, domains }: AdministeredSsoServices): Route[] {
  const known = async (id: string): Promise<string> => {
    if ((await organizations.get(id)) === null) throw unknownOrganization(id);
    return id;
  };
  return [
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/organizations/:organization_id/sso',
      operationId: 'deleteSsoOfOrganization',
      summary: 'Remove the single sign-on of an organization',
      summaryAr: 'إزالة تسجيل الدخول الموحّد لمؤسسة',
      description:
        'For an organization whose identity provider locks everybody out: passwords and passkeys work again at once.',
      params: ofOrganization,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', 'SSO_NOT_CONFIGURED'],
      handler: async ({ params: { organization_id }, note }) => {
        note({ organizationId: await known(organization_id) });
        if (!(await settings.removeOf(organization_id))) throw notConfigured(THIS);
        return { status: 204 };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: '/v1/admin/organizations/:organization_id/sso-domains/:domain',
      operationId: 'setSsoDomainOfOrganization',
      summary: 'Verify a domain for an organization',
      summaryAr: 'توثيق نطاق لمؤسسة',
      description:
        'Without a look at the DNS, for networks that have none: the administrator vouches that the domain is the organization’s.',
      params: ofDomain,
      responses: { 200: { schema: domainObject, description: 'The verified domain' } },
      errors: ['NOT_FOUND', 'SSO_DOMAIN_TAKEN'],
      handler: async ({ params: { organization_id, domain }, note }) => {
        note({ organizationId: await known(organization_id), details: { domain } });
        return { status: 200, body: presentDomain(await domains.set(organization_id, domain)) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/organizations/:organization_id/sso-domains/:domain',
      operationId: 'removeSsoDomainOfOrganization',
      summary: 'Take a domain from an organization',
      summaryAr: 'سحب نطاق من مؤسسة',
      description: 'Its people sign in as before, and another organization can prove the domain.',
      params: ofDomain,
      responses: { 204: { schema: null, description: 'Taken' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id, domain }, note }) => {
        note({ organizationId: await known(organization_id), details: { domain } });
        await domains.removeOf(organization_id, domain);
        return { status: 204 };
      },
    }),
  ];
}
