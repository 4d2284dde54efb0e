import { DnsTxtRecords } from '../../../adapters/dns/txt-records.js';
import type { Route } from '../../../api/http/route.js';
import { scimTokenRoutes } from '../../../api/routes/accounts/scim-token.js';
import { ssoDomainRoutes } from '../../../api/routes/accounts/sso-domains.js';
import { ssoSignInRoutes } from '../../../api/routes/accounts/sso-sign-in.js';
import { ssoRoutes } from '../../../api/routes/accounts/sso.js';
import { administeredSsoRoutes } from '../../../api/routes/administration/sso.js';
import { scimGroupRoutes } from '../../../api/routes/scim/groups.js';
import { scimServiceRoutes } from '../../../api/routes/scim/service.js';
import { scimUserRoutes } from '../../../api/routes/scim/users.js';
import { Members } from '../../../core/data/repositories/accounts/members.js';
import { Profiles } from '../../../core/data/repositories/accounts/profiles.js';
import { ScimTokens } from '../../../core/data/repositories/scim/tokens.js';
import { SsoDomains } from '../../../core/data/repositories/single-sign-on/domains.js';
import { SsoFlows } from '../../../core/data/repositories/single-sign-on/flows.js';
import { SsoSettings } from '../../../core/data/repositories/single-sign-on/settings.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { OpenIdRelyingParty } from '../../../core/ports/openid.js';
import type { TxtRecords } from '../../../core/ports/txt-records.js';
import { ScimGroups } from '../../../core/services/scim/groups.js';
import { ScimTokenService } from '../../../core/services/scim/token.js';
import { ScimUsers } from '../../../core/services/scim/users.js';
import { Admission } from '../../../core/services/single-sign-on/admission.js';
import { BeginSignOn } from '../../../core/services/single-sign-on/begin.js';
import { CompleteSignOn } from '../../../core/services/single-sign-on/complete.js';
import { SsoDomainService } from '../../../core/services/single-sign-on/domains.js';
import { Membership } from '../../../core/services/single-sign-on/membership.js';
import { SsoSettingsService } from '../../../core/services/single-sign-on/settings.js';
import type { Accounts } from '../../wiring/accounts.js';
import type { Stores } from '../../wiring/stores.js';

export interface SingleSignOnParts {
  readonly stores: Pick<Stores, 'db' | 'organizations' | 'sessions' | 'users'>;
  readonly accounts: Pick<Accounts, 'sessions' | 'tries'>;
  readonly openid: OpenIdRelyingParty;
  /** Default: the name servers of this machine. */
  readonly records?: TxtRecords;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly publicUrl: () => string;
  /** Drops what this process caches of keys, sessions, organizations and the tokens of directories. */
  readonly clearCaches: () => void;
}

/** Routes of identity providers and directories of organizations. */
export function openSingleSignOnRoutes(parts: SingleSignOnParts): Route[] {
  const { stores, accounts, openid, cipher, clock, publicUrl, clearCaches: onChanged } = parts;
  const { db, organizations, sessions, users } = stores;
  const { tries } = accounts;
  const [settings, domains, flows, members] = [
    new SsoSettings(db),
    new SsoDomains(db),
    new SsoFlows(db),
    new Members(db),
  ];
  const membership = new Membership({ members, users, sessions, settings });
  const settingsService = new SsoSettingsService({
    ...{ settings, domains, members, membership, openid, cipher, clock, onChanged },
  });
  const domainService = new SsoDomainService({
    ...{ domains, members, tries, clock },
    records: parts.records ?? new DnsTxtRecords(),
  });
  const begin = new BeginSignOn({ settings, domains, flows, organizations, openid, tries, cipher, clock, publicUrl });
  const complete = new CompleteSignOn({
    ...{ settings, flows, organizations, members, users, openid, tries, cipher, clock, onChanged },
    admission: new Admission({ members, users, domains, membership, profiles: new Profiles(db) }),
    sessions: accounts.sessions,
  });
  const token = new ScimTokenService({ tokens: new ScimTokens(db), clock, onChanged });
  const directory = { db, members, membership, clock, onChanged };
  return [
    ...ssoSignInRoutes({ begin, complete, publicUrl }),
    ...ssoRoutes({ settings: settingsService, publicUrl }),
    ...ssoDomainRoutes({ domains: domainService }),
    ...administeredSsoRoutes({ organizations, settings: settingsService, domains: domainService }),
    ...scimTokenRoutes({ token, publicUrl }),
    ...scimServiceRoutes({ publicUrl }),
    ...scimUserRoutes({ users: new ScimUsers({ ...directory, users, domains }), publicUrl }),
    ...scimGroupRoutes({ groups: new ScimGroups(directory), publicUrl }),
  ];
}
