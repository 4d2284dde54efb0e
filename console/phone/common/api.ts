/** The platform refused, or cannot be reached (`code` is null). */
export class Refused extends Error {
  constructor(
    readonly code: string | null,
    message: string,
    readonly messageAr: string,
    /** The fields that the error is about. */
    readonly fields: readonly string[],
    /** Of the answer; 0 without one. */
    readonly status: number,
  ) {
    super(message);
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 409 || this.status === 429 || this.status >= 500;
  }
}

/** What a request carries beside its path. */
export interface Carried {
  readonly json?: object;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
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
    return this.#keep(await this.#open({ ...credentials, client: 'browser' }, '/sessions'));
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
  async ask<T>(method: string, path: string, json?: object, headers: Carried['headers'] = {}): Promise<T> {
    return bodyOf<T>(await this.fetch(method, path, json === undefined ? { headers } : { json, headers }));
  }

  /** As {@link ask}, for what is not JSON. @throws Refused */
  async fetch(method: string, path: string, carried: Carried = {}): Promise<Response> {
    if (Date.now() > this.#renewAt) await this.renew();
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#signedIn?.access_token ?? ''}` };
    if (this.#project !== null) headers['X-Hatif-Project'] = this.#project;
    return request(method, path, { ...carried, headers: { ...headers, ...carried.headers } });
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
      return this.#keep(await this.#open({}, '/sessions/refresh'));
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

  async #open(json: object, path: string): Promise<SignedIn> {
    return bodyOf(await request('POST', path, { json }));
  }
}

/** @throws Refused */
async function request(method: string, path: string, { json, form, headers, signal }: Carried): Promise<Response> {
  const init: RequestInit = { method, headers: { ...headers }, credentials: 'same-origin' };
  if (json !== undefined) {
    init.headers = { ...headers, 'Content-Type': 'application/json' };
    init.body = JSON.stringify(json);
  }
  if (form !== undefined) init.body = form;
  if (signal !== undefined) init.signal = signal;
  const answer = await fetch(`/v1${path}`, init).catch(() => null);
  if (answer?.ok) return answer;
  const said = (await answer?.json().catch(() => null)) as Envelope | null | undefined;
  throw refusal(said ?? {}, answer?.status ?? 0);
}

/** @throws Refused if the connection was lost before the end of the answer */
async function bodyOf<T>(answer: Response): Promise<T> {
  if (answer.status === 204) return undefined as T;
  const said = (await answer.json().catch(() => null)) as T | null;
  if (said === null) throw refusal({}, 0);
  return said;
}

function refusal(said: Envelope, status: number): Refused {
  const { error_code: code = null, message = '', message_ar: messageAr = '', details = [] } = said;
  const fields = details.map(({ path: field }) => field);
  return new Refused(code, message, messageAr, fields, status);
}
