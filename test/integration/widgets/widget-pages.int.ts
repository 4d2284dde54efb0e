import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { request } from 'undici';
import { widgetPages } from '../../../api/routes/widgets/widget-pages.js';
import { widgetChat, widgetScript } from '../../../main/roles/built-files.js';
import { buildWidget, WIDGET } from '../../../scripts/lib/widget.mjs';
import { PAGE, testApi, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

/** Maximum size, so that pages do not wait for the script. */
const MAX_BYTES = 10.5 * 1024;

describe('the pages of the click-to-call widget', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let api: TestApi;
  let script: Buffer | null;
  let demo: { key: string; number: string | null } | null = null;

  before(async () => {
    await buildWidget();
    script = await widgetScript();
    database = await testDatabase();
    const routers = [
      widgetPages({ script, chat: await widgetChat(), demo: () => demo, publicUrl: () => 'https://voice.example' }),
    ];
    api = await testApi({ db: database.db, routes: [], routers });
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  it('are one small script that contacts no other host and needs no extra permissions', async () => {
    const text = await readFile(new URL(`../../../dist/${WIDGET}`, import.meta.url), 'utf8');
    expect(script?.toString()).to.equal(text);
    expect(gzipSync(text, { level: 9 }).length).to.be.below(MAX_BYTES);
    const hosts = new Set(Array.from(text.matchAll(/https?:\/\/[\w.-]+/g), ([url]) => url));
    // The SVG namespace; it is not requested.
    expect([...hosts]).to.deep.equal(['http://www.w3.org']);
    expect(text).not.to.match(/innerHTML|\beval\b|new Function|document\.write|localStorage|document\.cookie/);
  });

  it('load the chat only if the widget has one, as another small script', async () => {
    const { status, headers, text } = await api.request('GET', '/widget/chat/v1.js', { headers: { origin: PAGE } });
    expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([200, '*']);
    expect(gzipSync(text, { level: 9 }).length).to.be.below(MAX_BYTES);
    expect([...text.matchAll(/https?:\/\/[\w.-]+/g)]).to.deep.equal([]);
    expect(text).not.to.match(/innerHTML|\beval\b|new Function|document\.write|document\.cookie/);
  });

  it('are served to any page, compressed, and revalidated by hash', async () => {
    const url = `${api.url}/widget/v1.js`;
    const first = await fetch(url, { headers: { 'accept-encoding': 'gzip', origin: PAGE } });
    expect(first.status).to.equal(200);
    const header = (name: string): string | null => first.headers.get(name);
    expect(header('content-type')).to.equal('text/javascript; charset=utf-8');
    expect(header('content-encoding')).to.equal('gzip');
    expect(header('cross-origin-resource-policy')).to.equal('cross-origin');
    expect(header('access-control-allow-origin')).to.equal('*');
    expect(header('cache-control')).to.match(/^public, max-age=\d+/);
    expect(header('vary')).to.equal('Accept-Encoding');
    expect(await first.text()).to.equal(script?.toString());
    // Revalidates like a browser: fetch itself adds `no-cache`.
    const again = async (encoding: string): Promise<unknown[]> => {
      const requestHeaders = { 'accept-encoding': encoding, 'if-none-match': String(header('etag')) };
      const { statusCode, headers, body } = await request(url, { headers: requestHeaders });
      await body.dump();
      return [statusCode, headers['content-encoding']];
    };
    expect(await again('gzip')).to.deep.equal([304, 'gzip']);
    expect(await again('identity')).to.deep.equal([200, undefined]);
  });

  it('show how to use it, in both languages, without inline scripts', async () => {
    expect((await api.request('GET', '/widget/demo')).body?.error_code).to.equal('NOT_FOUND');
    demo = { key: 'wk_of_the_demo', number: '+966115550102' };
    for (const [query, browser, language, dir] of [
      ['', 'en-GB,en;q=0.9', 'en', 'ltr'],
      ['', 'ar-SA,ar;q=0.9,en;q=0.5', 'ar', 'rtl'],
      ['', 'fr', 'en', 'ltr'],
      ['?language=ar', 'en', 'ar', 'rtl'],
      ['?language=en', 'ar', 'en', 'ltr'],
    ] as const) {
      const asked = { headers: { 'accept-language': browser } };
      const { status, text, headers } = await api.request('GET', `/widget/demo${query}`, asked);
      expect(headers.get('vary')).to.contain('Accept-Language');
      expect(status).to.equal(200);
      expect(text).to.contain(`<html lang="${language}" dir="${dir}">`);
      expect(text).to.contain(
        `<script src="/widget/v1.js" data-key="wk_of_the_demo" data-language="${language}" async>`,
      );
      expect(text).to.contain('&lt;script src=&quot;https://voice.example/widget/v1.js&quot;');
      expect(text).to.contain('+966115550102');
      expect(headers.get('content-security-policy')).not.to.contain('unsafe');
    }
  });
});
