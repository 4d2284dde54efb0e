import type { Organizations } from '../../data/repositories/accounts/organizations.js';
import type { SsoDomains } from '../../data/repositories/single-sign-on/domains.js';
import type { SsoFlows } from '../../data/repositories/single-sign-on/flows.js';
import type { SsoSettings } from '../../data/repositories/single-sign-on/settings.js';
import type { SessionClient, SsoSettingsRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { hashSecret } from '../../model/access/secrets.js';
import { generateToken, isToken } from '../../model/access/tokens.js';
import { domainOf } from '../../model/accounts/domains.js';
import { EMAIL_RULE, readEmail } from '../../model/accounts/email.js';
import { invalidField } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { OpenIdRelyingParty } from '../../ports/openid.js';
import { assertActive } from '../access/suspension.js';
import type { Tries } from '../accounts/tries.js';
import { withProvider } from './phrases.js';
import { clientOf, notConfigured } from './settings.js';

export const FLOW_SECONDS = 600;
/** The provider's proof of the identity counts as a confirmation of the session for this long. */
const CONFIRMED_SECONDS = 300;
/** Many people share the address of an office. */
const BEGINNINGS = 120;

/** Whose identity provider signs the person in. */
export type SsoSubjectChoice = { readonly email: string } | { readonly organizationId: string };

export interface WantedSignOn {
  readonly whose: SsoSubjectChoice;
  readonly client: SessionClient;
  /** A path of the platform for a browser; a URL of the machine itself for a program. */
  readonly target: string;
  /** Null for a browser. */
  readonly challenge: string | null;
  /** The person must prove the identity now, unless it did so in the last minutes. */
  readonly confirm: boolean;
  /** The cookie of a sign-in that this browser began before; null without one. */
  readonly browser: string | null;
}

/** Where the browser goes, and the cookie by which it is known when it comes back. */
export interface BegunSignOn {
  readonly url: string;
  readonly browser: string;
}

export interface BeginSignOnOptions {
  readonly settings: SsoSettings;
  readonly domains: SsoDomains;
  readonly flows: SsoFlows;
  readonly organizations: Pick<Organizations, 'get'>;
  readonly openid: OpenIdRelyingParty;
  readonly tries: Tries;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}

/** Sends people to the identity provider of their organization. */
export class BeginSignOn {
  constructor(private readonly options: BeginSignOnOptions) {}

  /**
   * @throws HatifError RATE_LIMIT_EXCEEDED, VALIDATION_ERROR, SSO_NOT_CONFIGURED, SSO_PROVIDER_UNAVAILABLE,
   * INSUFFICIENT_PERMISSIONS if the organization is suspended
   */
  async begin(
    { whose, client, target, challenge, confirm, browser: known }: WantedSignOn,
    ip: string,
  ): Promise<BegunSignOn> {
    const { flows, openid, tries, cipher, clock, publicUrl } = this.options;
    await tries.take(`sso:begin:${ip}`, BEGINNINGS);
    const email = 'email' in whose ? addressIn(whose.email) : null;
    const settings = await this.#settingsOf(whose, email);
    const state = generateToken('ssoState');
    const browser = known !== null && isToken('ssoBrowser', known) ? known : generateToken('ssoBrowser');
    const maxAgeSeconds = confirm ? CONFIRMED_SECONDS : null;
    const { url, ...secrets } = await withProvider(() =>
      openid.begin(clientOf(settings, cipher), {
        redirectUri: callbackUrl(publicUrl()),
        scopes: settings.scopes,
        state,
        loginHint: email,
        maxAgeSeconds,
      }),
    );
    const now = clock.now();
    await flows.add(
      {
        state_hash: hashSecret(state),
        browser_hash: hashSecret(browser),
        organization_id: settings.organization_id,
        issuer: settings.issuer,
        client_id: settings.client_id,
        secrets: cipher.seal(JSON.stringify(secrets)),
        max_age_seconds: maxAgeSeconds,
        ...{ client, target, challenge },
        expires_at: new Date(now.getTime() + FLOW_SECONDS * 1000),
      },
      now,
    );
    return { url, browser };
  }

  async #settingsOf(whose: SsoSubjectChoice, email: string | null): Promise<SsoSettingsRow> {
    const { settings, organizations, domains } = this.options;
    const domain = email === null ? null : domainOf(email);
    const id = 'email' in whose ? domain && (await domains.ownerOf(domain)) : whose.organizationId;
    const who =
      'email' in whose
        ? { en: `addresses in ${domain ?? whose.email}`, ar: arabic`العناوين في ${domain ?? whose.email}` }
        : { en: 'this organization', ar: 'هذه المؤسسة' };
    const organization = id === null ? null : await organizations.get(id);
    const row = id === null ? null : await settings.get(id);
    if (organization === null || row?.enabled !== true) throw notConfigured(who);
    assertActive(organization);
    return row;
  }
}

/** Where the provider sends the browser back to. */
export function callbackUrl(publicUrl: string): string {
  return `${publicUrl}/v1/sso/callback`;
}

function addressIn(text: string): string {
  const email = readEmail(text);
  if (email === null) throw invalidField('email', EMAIL_RULE);
  return email;
}
