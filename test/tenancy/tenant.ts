import type { Database } from '../../core/data/database.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import type { Platform } from '../../main/platform.js';
import type { Role } from '../../core/model/access/roles.js';
import type { TestMember } from '../support/rows/members.js';
import { ask, type Answer, type RequestOptions } from '../support/api.js';
import type { WebhookReceiver } from '../support/peers/receiver.js';
import type { Ground } from '../support/rows/rows.js';

/** The platform on which a tenant makes its resources. */
export interface Surroundings {
  readonly url: string;
  readonly platform: Platform;
  readonly db: Database;
  readonly receiver: WebhookReceiver;
  readonly storages: ObjectStores;
  /** A token of an administrator of the installation. */
  readonly administrator: string;
  /** Softphones and trunks that were added since are known to the engine afterwards. */
  provisioned(): Promise<void>;
}

/** The keys of one project. */
export interface TenantKeys {
  readonly live: string;
  readonly sandbox: string;
  /** Live keys with one scope each. */
  readonly onlyCalls: string;
  readonly onlyUsage: string;
}

/** The members of an answer. */
export type Members = Readonly<Record<string, unknown>>;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

let numbers = 0;

/** A project with its resources. Everything that nobody else may learn of it is in {@link secrets}. */
export class Tenant {
  readonly secrets = new Set<string>();
  /** Those that its sandbox key sees. */
  readonly sandboxSecrets = new Set<string>();
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(
    readonly world: Surroundings,
    readonly name: string,
    readonly ground: Ground,
    readonly keys: TenantKeys,
    /** Members of the organization, one with each role, who have all projects. */
    readonly members: Readonly<Record<Role, TestMember>>,
  ) {}

  /** A new name that contains the tenant's. */
  word(what: string): string {
    return this.secret(`${this.name}-${what}-${++numbers}`);
  }

  /** A new mobile number. */
  number(ending = '00'): string {
    return this.secret(`+96650${String(++numbers).padStart(5, '0')}${ending}`);
  }

  secret(text: string): string {
    this.secrets.add(text);
    return text;
  }

  /** Sends a request, which must succeed; its IDs become secrets. */
  async ask(method: string, path: string, json?: unknown, options: RequestOptions = {}): Promise<Members> {
    const answer = await this.request(method, path, { ...(json !== undefined && { json }), ...options });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    this.learn(answer);
    if (options.key === this.keys.sandbox) this.showInSandbox(answer.text);
    return answer.body ?? {};
  }

  /** The same as an owner of the organization. */
  askAsOwner(method: string, path: string, json?: unknown): Promise<Members> {
    return this.ask(method, path, json, { key: this.members.owner.token });
  }

  /** A token of the organization’s directory, in place of the one before. */
  async scimToken(): Promise<string> {
    const { token } = await this.askAsOwner('POST', '/v1/scim/token', {});
    return this.secret(String(token));
  }

  /** With the live key by default. */
  request(method: string, path: string, options: RequestOptions): Promise<Answer> {
    return ask(this.world.url, method, path, { key: this.keys.live, ...options });
  }

  /** Makes the IDs of an answer secrets. Those of list items that are marked as the sandbox's are seen there. */
  learn({ text, body }: Answer): void {
    for (const [id] of text.matchAll(UUID)) this.secrets.add(id);
    const items = Array.isArray(body?.data) ? (body.data as readonly { readonly sandbox?: unknown }[]) : [];
    for (const item of items) if (item.sandbox === true) this.showInSandbox(JSON.stringify(item));
  }

  /** Records that the sandbox key sees the secrets of this text. */
  showInSandbox(text: string): void {
    for (const secret of this.secrets) if (text.includes(secret)) this.sandboxSecrets.add(secret);
  }

  /** The result of the first call with this name. */
  once<T>(what: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(what) as Promise<T> | undefined) ?? make();
    this.#made.set(what, made);
    return made;
  }
}
