import { generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import { listenOnLoopback, portOf } from './listening.js';

/** Somebody with an account at the provider. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly locale?: string;
  readonly groups?: readonly string[];
  /** How the person proves its identity; default with a password. */
  readonly amr?: readonly string[];
}

/** What the provider registered for Hatif. */
export const CLIENT = { client_id: 'hatif', client_secret: 'a secret that only the two sides know' } as const;

type Claims = Record<string, unknown>;

/** One key that signs ID tokens. */
interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
  readonly jwk: JsonWebKey;
}

/** How long an ID token is valid. */
export const ID_TOKEN_SECONDS = 120;

let keys = 0;

/**
 * A real provider of OpenID Connect (oidc-provider) on the loopback. The person who is {@link current} signs in without being
 * asked. Tests can have it misbehave as a provider must not.
 */
export class OpenIdPeer {
  /** Who signs in next. Null: the person cancels. */
  current: Person | null = null;
  /** Changes the claims of ID tokens; they are signed again with {@link signsWith}. */
  tamper: ((claims: Claims) => Claims) | null = null;
  /** In place of the published key. */
  signsWith: SigningKey | null = null;
  /** Whether the ID token has no more than the subject, so that the rest must be asked for. */
  conforming = false;
  readonly #people = new Map<string, Person>();
  readonly #server: Server;
  #provider!: Provider;
  #answer!: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  #key = newKey();
  #port = 0;

  private constructor(private readonly redirectUri: string) {
    this.#server = createServer((req, res) => void this.#serve(req, res));
  }

  static async start(redirectUri: string): Promise<OpenIdPeer> {
    const peer = new OpenIdPeer(redirectUri);
    await listenOnLoopback(peer.#server);
    peer.#port = portOf(peer.#server);
    peer.#open();
    return peer;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** From now on, this person signs in. */
  as(person: Person): void {
    this.#people.set(person.sub, person);
    this.current = person;
  }

  /** Publishes and signs with a new key; the old one is gone. */
  rotateKeys(): void {
    this.#key = newKey();
    this.#open();
  }

  /** Starts again with what {@link conforming} says now. */
  restart(): void {
    this.#open();
  }

  /** Accepts no connection, until {@link comeBack}. */
  async goAway(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async comeBack(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.goAway();
  }

  #open(): void {
    const claimsOf = ({ amr: _, ...claims }: Person): Claims => claims;
    this.#provider = new Provider(this.issuer, {
      clients: [
        {
          ...CLIENT,
          redirect_uris: [this.redirectUri],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      jwks: { keys: [this.#key.jwk] },
      cookies: { keys: ['a key of the provider for its cookies'] },
      pkce: { required: () => true },
      claims: {
        openid: ['sub', 'amr', 'auth_time'],
        email: ['email', 'email_verified'],
        profile: ['name', 'locale'],
        groups: ['groups'],
      },
      conformIdTokenClaims: this.conforming,
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => '/interaction' },
      ttl: {
        IdToken: ID_TOKEN_SECONDS,
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 600,
        Interaction: 600,
        Session: 600,
      },
      findAccount: (_: unknown, sub: string) => {
        const person = this.#people.get(sub);
        return person && { accountId: sub, claims: () => claimsOf(person) };
      },
      // Everybody agrees that Hatif learns who it is.
      loadExistingGrant: async ({
        oidc,
      }: {
        oidc: { session: { accountId: string }; client: { clientId: string } };
      }) => {
        const grant = new this.#provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
        grant.addOIDCScope('openid email profile groups');
        await grant.save();
        return grant;
      },
    });
    this.#provider.use(async (ctx, next) => {
      await next();
      if (ctx.path === '/token') this.#change(ctx.body as Record<string, unknown> | undefined);
    });
    this.#answer = this.#provider.callback();
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url?.startsWith('/interaction') !== true) {
      await this.#answer(req, res);
      return;
    }
    const { current } = this;
    const result =
      current === null
        ? { error: 'access_denied', error_description: 'the person cancelled' }
        : { login: { accountId: current.sub, amr: current.amr ?? ['pwd'] } };
    await this.#provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  }

  #change(answer: Record<string, unknown> | undefined): void {
    if (typeof answer?.id_token !== 'string' || (this.tamper === null && this.signsWith === null)) return;
    const [, payload = ''] = answer.id_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    answer.id_token = signed(this.tamper?.(claims) ?? claims, this.signsWith ?? this.#key);
  }
}

export function newKey(): SigningKey {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = `key-${++keys}`;
  return { kid, key, jwk: { ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' } };
}

function signed(claims: Claims, { kid, key }: SigningKey): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', kid })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
