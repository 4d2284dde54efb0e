import { expect } from 'chai';
import type { Answer } from '../../api.js';
import { scimProblems } from '../../judges/scim.js';
import type { SsoHome, SsoStage } from './sso-stage.js';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A resource as the directory reads it. */
export type Resource = Readonly<Record<string, unknown>> & { readonly id: string };

let names = 0;

/** A directory that provisions an organization. */
export class Directory {
  private constructor(
    private readonly stage: SsoStage,
    private readonly home: SsoHome,
    readonly token: string,
  ) {}

  /** With a new token, which replaces the one before. */
  static async of(stage: SsoStage, home: SsoHome, keys_of_leavers: 'revoke' | 'keep' = 'revoke'): Promise<Directory> {
    const answer = await home.ask('POST', '/v1/scim/token', { keys_of_leavers });
    if (answer.status !== 201) throw new Error(`no token: ${answer.text}`);
    return new Directory(stage, home, String(answer.body?.token));
  }

  ask(method: string, path: string, json?: object): Promise<Answer> {
    if (json === undefined) return this.stage.api.request(method, `/scim/v2${path}`, { key: this.token });
    return this.raw(method, path, JSON.stringify(json), 'application/scim+json');
  }

  raw(method: string, path: string, raw: string, type: string): Promise<Answer> {
    const headers = { 'Content-Type': type };
    return this.stage.api.request(method, `/scim/v2${path}`, { key: this.token, raw, headers });
  }

  patch(path: string, ...Operations: object[]): Promise<Answer> {
    return this.ask('PATCH', path, { schemas: [PATCH], Operations });
  }

  async find(resources: 'Users' | 'Groups', filter: string): Promise<unknown> {
    return (await this.ask('GET', `/${resources}?filter=${encodeURIComponent(filter)}`)).body?.Resources;
  }

  /** A new address of the organization's domain. */
  address(): string {
    return `user-${++names}@${this.home.domain}`;
  }

  /** What a directory sends of a new user. */
  user(more: object = {}): Readonly<Record<string, unknown>> {
    return {
      schemas: [USER],
      userName: this.address(),
      externalId: `ext-${names}`,
      name: { givenName: 'Reem', familyName: 'Alharbi' },
      active: true,
      ...more,
    };
  }

  async createUser(more: object = {}): Promise<Resource & { readonly userName: string }> {
    return (await this.#create('/Users', this.user(more))) as Resource & { userName: string };
  }

  createGroup(displayName: string, members: readonly string[] = [], more: object = {}): Promise<Resource> {
    const sent = { schemas: [GROUP], displayName, members: members.map((value) => ({ value })), ...more };
    return this.#create('/Groups', sent);
  }

  async #create(path: string, sent: object): Promise<Resource> {
    const answer = await this.ask('POST', path, sent);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body as Resource;
  }
}

/** Checks an error in the form of SCIM. */
export function refused(answer: Answer, status: number, scimType: string | undefined, detail: string): void {
  expect(scimProblems(answer)).to.deep.equal([]);
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.body?.scimType).to.equal(scimType);
  expect(answer.body?.detail).to.contain(detail);
}
