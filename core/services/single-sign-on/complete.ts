import { violatedUnique } from '../../data/errors.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { Organizations } from '../../data/repositories/accounts/organizations.js';
import type { Device } from '../../data/repositories/accounts/sessions.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import type { SsoFlows } from '../../data/repositories/single-sign-on/flows.js';
import type { SsoSettings } from '../../data/repositories/single-sign-on/settings.js';
import type { OrganizationRow, SsoFlowRow, SsoSettingsRow, UserRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { hashSecret } from '../../model/access/secrets.js';
import { generateToken, isToken } from '../../model/access/tokens.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { OpenIdAssertion, OpenIdRelyingParty, OpenIdSecrets } from '../../ports/openid.js';
import { assertActive } from '../access/suspension.js';
import type { LiveSession, SessionService } from '../accounts/sessions.js';
import type { Tries } from '../accounts/tries.js';
import { claimsNeeded, type Admission } from './admission.js';
import { notAdmitted, withProvider } from './phrases.js';
import { clientOf } from './settings.js';

/** How long a program may take to fetch its session. */
const CODE_SECONDS = 60;
const FAILURES = 60;
/** The person proved its identity with several factors (RFC 8176 §2). */
const SEVERAL_FACTORS = 'mfa';

/** The way back from the identity provider. */
export interface Return {
  /** With the whole query. */
  readonly url: URL;
  /** The cookie; null without one. */
  readonly browser: string | null;
}

/** A completed sign-in: the browser has a session, or a program gets a code for its own. */
export type CompletedSignOn = { readonly target: string; readonly user: UserRow } & (
  { readonly session: LiveSession; readonly code: null } | { readonly session: null; readonly code: string }
);

export interface CompleteSignOnOptions {
  readonly settings: SsoSettings;
  readonly flows: SsoFlows;
  readonly organizations: Pick<Organizations, 'get'>;
  readonly members: Members;
  readonly users: Users;
  readonly admission: Admission;
  readonly sessions: SessionService;
  readonly openid: OpenIdRelyingParty;
  readonly tries: Tries;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Called after a sign-in, so that this process asks the database again for the roles of members. */
  readonly onChanged: () => void;
}

/** Signs in people who come back from the identity provider of their organization. */
export class CompleteSignOn {
  constructor(private readonly options: CompleteSignOnOptions) {}

  /**
   * Uses the way back once, whether it succeeds or not.
   * @throws HatifError RATE_LIMIT_EXCEEDED, SSO_STATE_INVALID, SSO_PROVIDER_UNAVAILABLE, SSO_ANSWER_INVALID,
   * SSO_NOT_ADMITTED, INSUFFICIENT_PERMISSIONS if the organization is suspended
   */
  async complete({ url, browser }: Return, device: Device): Promise<CompletedSignOn> {
    const { flows, openid, tries, cipher, clock } = this.options;
    const tried = `sso:complete:${device.ip}`;
    await tries.take(tried, FAILURES);
    const state = url.searchParams.get('state') ?? '';
    if (!isToken('ssoState', state) || browser === null) throw new HatifError('SSO_STATE_INVALID');
    const flow = await flows.take(hashSecret(state), hashSecret(browser), clock.now());
    if (flow === null) throw new HatifError('SSO_STATE_INVALID');
    const { settings, organization } = await this.#ground(flow);
    const { nonce, verifier } = JSON.parse(cipher.open(flow.secrets)) as OpenIdSecrets;
    const checks = { state, nonce, verifier, maxAgeSeconds: flow.max_age_seconds, claims: claimsNeeded(settings) };
    const assertion = await withProvider(() => openid.finish(clientOf(settings, cipher), url, checks));
    const completed = await this.#enter(flow, settings, organization, assertion, device);
    await tries.giveBack(tried);
    return completed;
  }

  /**
   * The session of a program that keeps what the challenge was made of.
   * @throws HatifError RATE_LIMIT_EXCEEDED, SSO_STATE_INVALID, SSO_NOT_ADMITTED, INSUFFICIENT_PERMISSIONS
   */
  async exchange(code: string, challenge: string, device: Device): Promise<LiveSession> {
    const { flows, users, organizations, sessions, tries, clock } = this.options;
    const tried = `sso:exchange:${device.ip}`;
    await tries.take(tried, FAILURES);
    const row = isToken('ssoCode', code) ? await flows.takeCode(hashSecret(code), clock.now()) : null;
    if (row?.challenge !== challenge) throw new HatifError('SSO_STATE_INVALID');
    const user = await users.get(row.user_id);
    if (user?.disabled_at !== null) throw notAdmitted('disabled');
    const organization = await organizations.get(user.organization_id);
    if (organization === null) throw new HatifError('SSO_STATE_INVALID');
    assertActive(organization);
    const { second_factor: secondFactor, confirmed_at: confirmedAt } = row;
    const live = await sessions.begin(user, organization, { client: 'other', secondFactor, confirmedAt, ...device });
    await tries.giveBack(tried);
    return live;
  }

  /** What the sign-in began with must still hold: otherwise the answer is another provider's. */
  async #ground(
    flow: SsoFlowRow,
  ): Promise<{ readonly settings: SsoSettingsRow; readonly organization: OrganizationRow }> {
    const settings = await this.options.settings.get(flow.organization_id);
    const organization = await this.options.organizations.get(flow.organization_id);
    if (organization === null || settings?.enabled !== true) throw new HatifError('SSO_STATE_INVALID');
    if (settings.issuer !== flow.issuer || settings.client_id !== flow.client_id) {
      throw new HatifError('SSO_STATE_INVALID');
    }
    assertActive(organization);
    return { settings, organization };
  }

  /** Makes the member, the role and the session, or none of them. */
  async #enter(
    flow: SsoFlowRow,
    settings: SsoSettingsRow,
    organization: OrganizationRow,
    assertion: OpenIdAssertion,
    device: Device,
  ): Promise<CompletedSignOn> {
    const { members, admission, sessions, flows, clock, onChanged } = this.options;
    const { target, challenge } = flow;
    const secondFactor = assertion.methods.includes(SEVERAL_FACTORS);
    const now = clock.now();
    const confirmedAt = provedAt(assertion, now);
    try {
      const completed = await members.exclusively(organization.id, async (tx): Promise<CompletedSignOn> => {
        const user = await admission.admit(tx, settings, assertion, now);
        if (challenge === null) {
          const begun = { client: flow.client, secondFactor, confirmedAt, ...device };
          return { target, user, session: await sessions.begin(user, organization, begun, tx), code: null };
        }
        const code = generateToken('ssoCode');
        const row = {
          ...{ hash: hashSecret(code), user_id: user.id, challenge, second_factor: secondFactor },
          confirmed_at: confirmedAt,
          expires_at: new Date(now.getTime() + CODE_SECONDS * 1000),
        };
        await flows.addCode(tx, row, now);
        return { target, user, session: null, code };
      });
      onChanged();
      return completed;
    } catch (error) {
      // The address got an account at the same moment, in another organization: this one's members wait for each other.
      if (violatedUnique(error) === 'users_email') throw notAdmitted('other_organization');
      throw error;
    }
  }
}

/** When the person proved its identity; null if the provider does not say. A clock that is ahead does not count. */
function provedAt({ authenticatedAt }: OpenIdAssertion, now: Date): Date | null {
  return authenticatedAt !== null && authenticatedAt > now ? now : authenticatedAt;
}
