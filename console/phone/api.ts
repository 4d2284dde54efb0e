/** The platform refused, or cannot be reached (`code` is null). */
export class Refused extends Error {
  constructor(
    readonly code: string | null,
    message: string,
    readonly messageAr: string,
    /** The fields that the error is about. */
    readonly fields: readonly string[],
  ) {
    super(message);
  }
}

export interface SignedIn {
  readonly access_token: string;
  readonly expires_in: number;
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly agent: string | null;
    readonly project_ids: readonly string[] | null;
  };
  readonly role: string;
}

interface Envelope {
  readonly error_code?: string;
  readonly message?: string;
  readonly message_ar?: string;
  readonly details?: readonly { readonly path: string }[];
}

const RACE_MS = 400;
/** A token is renewed this long before its end. */
const EARLY_MS = 60_000;

/** The API for the signed-in user. The refresh token is in a cookie that scripts cannot read. */
export class Api {
  #signedIn: SignedIn | null = null;
  #renewAt = 0;
  #renewing: Promise<SignedIn> | null = null;
  #project: string | null = null;

  get user(): SignedIn | null {
    return this.#signedIn;
  }

  /** @throws Refused */
  async signIn(credentials: { email: string; password: string; totp?: string }): Promise<SignedIn> {
    return this.#keep(await this.#send<SignedIn>('POST', '/sessions', { ...credentials, client: 'browser' }, false));
  }

  /** Continues the session of this browser. @throws Refused if there is none */
  renew(): Promise<SignedIn> {
    this.#renewing ??= this.#renew(true).finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async signOut(): Promise<void> {
    await this.ask('POST', '/sessions/logout').catch(() => undefined);
    this.#signedIn = null;
  }

  /** @throws Refused */
  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    if (Date.now() > this.#renewAt) await this.renew();
    return this.#send<T>(method, path, body, true);
  }

  /** Chooses the project for a user of several. */
  async chooseProject(): Promise<void> {
    const own = this.#signedIn?.user.project_ids ?? null;
    if (own !== null) {
      this.#project = own[0] ?? null;
      return;
    }
    const { data } = await this.ask<{ data: { id: string }[] }>('GET', '/projects?limit=1');
    this.#project = data[0]?.id ?? null;
  }

  /** Another tab may renew at the same moment: this one then has the new cookie already. */
  async #renew(again: boolean): Promise<SignedIn> {
    try {
      return this.#keep(await this.#send<SignedIn>('POST', '/sessions/refresh', {}, false));
    } catch (error) {
      if (!(again && error instanceof Refused && error.code === 'REFRESH_ROTATION_RACE')) throw error;
      await new Promise((resolve) => setTimeout(resolve, RACE_MS));
      return this.#renew(false);
    }
  }

  #keep(signedIn: SignedIn): SignedIn {
    this.#signedIn = signedIn;
    this.#renewAt = Date.now() + signedIn.expires_in * 1_000 - EARLY_MS;
    return signedIn;
  }

  async #send<T>(method: string, path: string, body: object | undefined, isSignedIn: boolean): Promise<T> {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (isSignedIn) headers.Authorization = `Bearer ${this.#signedIn?.access_token ?? ''}`;
    if (isSignedIn && this.#project !== null) headers['X-Hatif-Project'] = this.#project;
    const init: RequestInit = { method, headers, credentials: 'same-origin' };
    if (body !== undefined) init.body = JSON.stringify(body);
    const answer = await fetch(`/v1${path}`, init).catch(() => null);
    if (answer?.status === 204) return undefined as T;
    const said = (await answer?.json().catch(() => null)) as Envelope | null | undefined;
    if (answer?.ok && said) return said as T;
    const { error_code: code = null, message = '', message_ar: messageAr = '', details = [] } = said ?? {};
    throw new Refused(
      code,
      message,
      messageAr,
      details.map(({ path: field }) => field),
    );
  }
}
