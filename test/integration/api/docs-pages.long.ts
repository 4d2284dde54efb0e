import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { readGuide } from '../../../main/guide/read-guide.js';
import { eventually } from '../../support/eventually.js';
import { testApi, type TestApi } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { browserProgram, openBrowser, watched } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';

/** Of the reference a few operations: axe takes a minute for all of them. */
const PAGES = ['/', '/docs?find=transfer', '/docs/events', '/docs/errors'];
const LOOKS: readonly BrowserContextOptions[] = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
];
/** Chromium needs some seconds of a processor for the list of all operations. */
const PATIENCE_MS = 120_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIOLATIONS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target }) => id + ' ' + target.join(' '))))`;

describe('the documentation in a browser', function () {
  this.timeout(240_000);
  let bare: BarePlatform;
  let api: TestApi;
  let browser: Browser;

  const program = browserProgram();
  if (program === null) {
    it('is readable and complete', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  before(async () => {
    bare = await barePlatform('api');
    api = await testApi({ db: bare.database.db, routes: [] });
    browser = await openBrowser(program);
  });
  after(async () => {
    await browser.close();
    await api.close();
    await bare.close();
  });

  /** Opens a page in a window of its own. */
  async function open(path: string, look: BrowserContextOptions = LOOKS[0]!): Promise<Page> {
    const page = await browser.newPage(look);
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(bare.platform.api!.url + path);
    return page;
  }

  async function listed(page: Page): Promise<string[]> {
    const ids = await page.evaluate(`[...document.querySelectorAll('.opblock')].map(({ id }) => id)`);
    return (ids as string[]).map((id) => id.replace(/^operations-.*-/, ''));
  }

  /** Types into the search. @returns the operations that it leaves */
  async function find(page: Page, phrase: string): Promise<string[]> {
    await page.locator('#find').fill(phrase);
    await page.waitForURL((url) => url.searchParams.get('find') === phrase);
    const said = await page.locator('#found').textContent();
    const count = Number(/^\d+/.exec(said ?? '')?.[0]);
    const isShown = async (): Promise<boolean> => (await page.locator('.opblock').count()) === count;
    await eventually(isShown, `${count} operations for ${phrase}`, PATIENCE_MS);
    return listed(page);
  }

  for (const look of LOOKS) {
    const { colorScheme, viewport } = look;
    it(`is accessible and as wide as the screen, ${String(colorScheme)}, ${viewport?.width} px`, async () => {
      // The build renders the guide; the sources alone have none.
      const guide = (await readGuide()) === null ? [] : ['/docs/guide'];
      for (const path of [...PAGES, ...guide]) {
        const page = await browser.newPage(look);
        page.setDefaultTimeout(PATIENCE_MS);
        const { hosts, complaints } = watched(page);
        await page.goto(bare.platform.api!.url + path);
        if (path.startsWith('/docs?')) await page.locator('.opblock').first().waitFor();
        await page.evaluate(AXE);
        expect(await page.evaluate(VIOLATIONS), path).to.deep.equal([]);
        const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await page.evaluate(excess), path).to.equal(0);
        expect([...hosts], path).to.deep.equal([bare.platform.api!.url]);
        expect(complaints, path).to.deep.equal([]);
        await page.close();
      }
    });
  }

  it('lists every operation in groups, and finds it by path, words of both languages, ID and error code', async () => {
    const page = await open('/docs');
    await page.locator('#operations-Service-getOpenApi').waitFor();
    expect(await listed(page)).to.have.members(bare.platform.api!.routes.map(({ operationId }) => operationId));
    expect(await page.locator('.opblock-tag').first().textContent())
      .to.include('Place calls')
      .and.include('إجراء');
    expect(await find(page, 'POST /v1/calls/{call_id}/hold')).to.deep.equal(['holdCall']);
    expect(await find(page, 'put a call on hold'))
      .to.include('holdCall')
      .and.not.include('placeCall');
    expect(await find(page, 'placecallback')).to.deep.equal(['placeCallback']);
    expect(await find(page, 'CALLBACK_ALREADY_CANCELLED')).to.deep.equal(['cancelCallback']);
    expect(await page.locator('#found a').getAttribute('href')).to.equal('/docs/errors/CALLBACK_ALREADY_CANCELLED');
    const arabic = bare.platform.api!.routes.find(({ operationId }) => operationId === 'listVoicemails')!.summaryAr!;
    expect(await find(page, arabic)).to.include('listVoicemails');
    expect(new URL(page.url()).searchParams.get('find')).to.equal(arabic);
    await page.close();
    const shared = await open('/docs?find=getHealth');
    await shared.locator('#found', { hasText: '1 of' }).waitFor();
    await shared.locator('#operations-Service-getHealth').waitFor();
    await shared.close();
  });

  it('opens an operation from its address, and tries it with an example that works', async () => {
    const { key } = await api.key({ kind: 'sandbox' });
    const page = await open('/docs#/Numbers/blockCaller');
    const { hosts } = watched(page);
    const operation = page.locator('#operations-Numbers-blockCaller');
    await operation.locator('textarea').waitFor();
    await page.locator('#operations-Service-getOpenApi').waitFor();
    await page.locator('.btn.authorize').first().click();
    const dialog = page.locator('.dialog-ux');
    expect(await dialog.textContent()).to.include('.hatif/bootstrap.json');
    await dialog.locator('input').first().fill(key);
    await dialog.locator('.btn.authorize').first().click();
    await dialog.locator('.btn-done').first().click();
    await operation.locator('.btn.execute').click();
    const status = operation.locator('.live-responses-table .response .response-col_status');
    await status.first().waitFor();
    expect(await status.first().textContent()).to.equal('201');
    expect([...hosts]).to.deep.equal([bare.platform.api!.url]);
    await page.close();
  });
});
