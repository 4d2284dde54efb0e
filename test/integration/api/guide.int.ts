import { expect } from 'chai';
import MiniSearch from 'minisearch';
import { fileURLToPath } from 'node:url';
import { buildGuide, GUIDE_ROOT, type Guide } from '../../../api/pages/guide/guide.js';
import { normalizeWord, SEARCH_FIELDS } from '../../../api/pages/guide/search.js';
import { docsRouter } from '../../../api/routes/platform/docs.js';
import { guideRouter } from '../../../api/routes/platform/guide.js';
import { readDocuments } from '../../../main/guide/documents.js';
import { testApi, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

const PUBLIC = 'https://voice.example:8443';

describe('the guide', () => {
  let database: TestDatabase;
  let api: TestApi;
  let guide: Guide;

  before(async () => {
    database = await testDatabase();
    guide = buildGuide(await readDocuments(fileURLToPath(new URL('../../..', import.meta.url))));
    const routers = [docsRouter({ routes: [], publicUrl: () => 'http://127.0.0.1' }), guideRouter(guide, () => PUBLIC)];
    api = await testApi({ db: database.db, routes: [], routers });
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  const page = async (path: string): Promise<string> => {
    const { status, headers, text } = await api.request('GET', path);
    expect([path, status, headers.get('content-type')]).to.deep.equal([path, 200, 'text/html; charset=utf-8']);
    return text;
  };

  it('serves its index, with every kind of document in the menu', async () => {
    const markup = await page(GUIDE_ROOT);
    expect(markup).to.include('<h1 id="hatif-guide">').and.include('lang="en" dir="ltr"');
    for (const section of ['Tutorials', 'How-to guides', 'Reference', 'Explanation', 'Decisions', 'Project'])
      expect(markup).to.include(`<summary>${section}</summary>`);
    expect(await page(`${GUIDE_ROOT}/`)).to.equal(markup);
  });

  it('names the address of the installation in its examples, not that of the default settings', async () => {
    const markup = await page(`${GUIDE_ROOT}/reference/calls`);
    expect(guide.pages[`${GUIDE_ROOT}/reference/calls`]).to.include('http://127.0.0.1:8080/v1/calls');
    expect(markup).to.include(`${PUBLIC}/v1/calls`).and.not.include('127.0.0.1:8080');
  });

  it('serves a page with anchors, tables and code as text', async () => {
    const markup = await page(`${GUIDE_ROOT}/reference/calls`);
    expect(markup)
      .to.include('<h2 id="place-a-call">')
      .and.include('<code dir="ltr">caller_id_number</code>')
      .and.include('<th>Field</th>');
    expect(markup).not.to.match(/\.md["#]/);
  });

  it('links only what it serves, loads nothing from other hosts, and allows no inline script or style', async () => {
    const anchors = new Map<string, Set<string>>();
    const links: [from: string, to: string][] = [];
    for (const path of Object.keys(guide.pages)) {
      const { headers, text } = await api.request('GET', path);
      expect(headers.get('content-security-policy'), path)
        .to.include("default-src 'none'")
        .and.not.match(/unsafe|https?:|\*/);
      expect(text, path).not.to.match(/<script(?! src="\/docs\/)|\sstyle=|<style|<(?:img|link)[^>]+"https?:/);
      anchors.set(path, new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id!)));
      for (const [, to] of text.matchAll(/href="(\/docs[^"]*|#[^"]*)"/g)) links.push([path, to!]);
    }
    const statuses = new Map<string, number>();
    for (const [from, to] of links) {
      const [path, anchor] = to.split('#', 2);
      const target = path === '' ? from : path!;
      if (!statuses.has(target)) statuses.set(target, (await api.request('GET', target)).status);
      expect(statuses.get(target), `${from} → ${to}`).to.equal(200);
      if (anchor !== undefined) expect(anchors.get(target)?.has(anchor), `${from} → ${to}`).to.equal(true);
    }
    expect(anchors.size).to.be.above(60);
  });

  it('serves the plain files that documents link to', async () => {
    const { status, headers, text } = await api.request('GET', `${GUIDE_ROOT}/files/.env.example`);
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    expect(text).to.include('HATIF_SECRET=');
  });

  it('has search data that the script of its pages finds words in, in both languages', async () => {
    const script = await api.request('GET', `${GUIDE_ROOT}/assets/guide.js`);
    expect(script.text).to.include(normalizeWord.toString());
    expect((await api.request('GET', `${GUIDE_ROOT}/assets/minisearch.js`)).status).to.equal(200);
    const { headers, text } = await api.request('GET', `${GUIDE_ROOT}/search.json`);
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const index = MiniSearch.loadJSON(text, { ...SEARCH_FIELDS, processTerm: normalizeWord });
    expect(index.search('HatifClockSkew')[0]?.id).to.equal(`${GUIDE_ROOT}/how-to/alerts/parts#hatifclockskew`);
    expect(index.search('idempot', { prefix: true })[0]?.heading).to.equal('Idempotency');
    expect(index.search('رسالتان')[0]?.id).to.include('/reference/speech');
    expect(normalizeWord('الرِّسالة')).to.equal(normalizeWord('الرساله'));
  });

  it('answers 404 with a page for people and with the envelope for programs', async () => {
    const path = `${GUIDE_ROOT}/reference/no-such-page`;
    const people = await api.request('GET', path, { headers: { accept: 'text/html' } });
    expect([people.status, people.text.includes('<h1>No such page</h1>')]).to.deep.equal([404, true]);
    const programs = await api.request('GET', path, { headers: { accept: 'application/json' } });
    expect([programs.status, programs.body?.error_code]).to.deep.equal([404, 'NOT_FOUND']);
    expect((await api.request('GET', `${GUIDE_ROOT}/files/package.json`)).status).to.equal(404);
    expect((await api.request('GET', `${GUIDE_ROOT}/__proto__`)).status).to.equal(404);
  });
});
