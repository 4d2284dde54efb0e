import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { argon2 } from '../../../adapters/passwords/argon2.js';
import type { Database } from '../../../core/data/database.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import type { UserRow } from '../../../core/data/rows.js';
import { eventually } from '../eventually.js';
import type { TestPlatform } from '../platform/platform.js';
import { addMember } from '../rows/members.js';

export const PASSWORD = 'a long password of Reem';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIOLATIONS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target }) => id + ' ' + target.join(' '))))`;
const EXCESS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

type PhoneUser = Partial<UserRow> & { readonly email: string };

/** A user of the demo organization who signs in at `/phone` with {@link PASSWORD}. */
export function addPhoneUser(stage: TestPlatform, wanted: PhoneUser): Promise<void> {
  return addPhoneUserTo(stage.platform.stores.db, wanted);
}

/** The same, in the database of a platform that runs elsewhere. */
export async function addPhoneUserTo(db: Database, wanted: PhoneUser): Promise<void> {
  const [project] = await new Projects(db).list();
  await addMember(db, project!.organization_id, {
    ...{ role: 'agent', project_ids: [project!.id], password_hash: await argon2.hash(PASSWORD) },
    ...wanted,
  });
}

/** The page `/phone`, as a person uses it. */
export class AgentPage {
  constructor(
    readonly page: Page,
    private readonly url: string,
  ) {}

  /** Resolves when the page is ready for calls. */
  async signIn(email: string, language: 'en' | 'ar'): Promise<void> {
    await this.page.goto(`${this.url}/phone?language=${language}`);
    await this.page.locator('#email').fill(email);
    await this.page.locator('#password').fill(PASSWORD);
    await this.page.keyboard.press('Enter');
    await this.shows(language === 'en' ? 'Ready for calls' : 'جاهز للمكالمات');
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  shows(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  /** Resolves when the service worker answers the requests of the page. */
  async untilWorker(): Promise<void> {
    const isThere = 'navigator.serviceWorker.controller !== null';
    await eventually(() => this.page.evaluate<boolean>(isThere), 'the service worker controls the page');
  }

  /** axe-core finds nothing, and nothing is wider than the window. @param what the screen is called in a failure */
  async assertAccessible(what: string): Promise<void> {
    await this.page.evaluate(AXE);
    expect(await this.page.evaluate(VIOLATIONS), what).to.deep.equal([]);
    expect(await this.page.evaluate(EXCESS), what).to.equal(0);
  }
}
