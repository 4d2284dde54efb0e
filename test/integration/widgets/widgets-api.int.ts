import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { newId } from '../../../core/model/ids.js';
import { PAGE, type Answer } from '../../support/api.js';
import { paged } from '../../support/judges/paged.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { widgetEach, type WidgetStage } from '../../support/stages/widget-stage.js';
import { succeeded } from '../../support/judges/succeeded.js';

describe('the widgets API', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  widgetEach((made) => (stage = made));

  const request = (method: string, path = '', json?: object, key = stage.callbacks.liveKey): Promise<Answer> =>
    stage.callbacks.api.request(method, `/v1/widgets${path}`, { key, ...(json && { json }) });
  async function good(method: string, path = '', json?: object, key?: string): Promise<Record<string, unknown>> {
    return succeeded(await request(method, path, json, key));
  }
  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { body } = await answer;
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  };

  it('conforms to the OpenAPI contract', async () => {
    const { api } = stage.callbacks;
    expect(await routeProblems(api, stage.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: stage.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, stage.routes)).to.deep.equal([]);
  });

  it('creates widgets with defaults, reads, changes, lists and revokes them', async () => {
    const made = await good('POST', '', {
      name: 'Shop',
      allowed_origins: ['https://SHOP.example/', 'https://*.shop.example'],
    });
    expect(made).to.deep.include({
      name: 'Shop',
      sandbox: false,
      allowed_origins: ['https://shop.example', 'https://*.shop.example'],
      countries: ['+966'],
      calls_per_hour: null,
      destination: null,
      language: 'ar',
      otp: false,
      captcha: true,
      theme: { accent: null, scheme: 'auto', position: 'end' },
      revoked_at: null,
    });
    expect(made.key).to.match(/^wk_[0-9A-Za-z]{28}$/);
    expect(made.script).to.equal(
      `<script src="https://voice.example/widget/v1.js" data-key="${String(made.key)}" async></script>`,
    );
    const path = `/${String(made.id)}`;
    expect(await good('GET', path)).to.deep.equal(made);
    const changed = await good('PATCH', path, { language: 'en', theme: { accent: '#123456' } });
    const theme = { accent: '#123456', scheme: 'auto', position: 'end' };
    expect(changed).to.deep.equal({ ...made, language: 'en', theme });
    expect(await good('PATCH', path, { destination: { type: 'agent', target: '1001' } })).to.deep.include({ theme });
    const reach = { countries: ['+966', '+971'], calls_per_hour: 20 };
    expect(await good('PATCH', path, { ...reach, countries: [...reach.countries, '+971'] })).to.deep.include(reach);
    expect(await good('GET', path)).to.deep.include(reach);
    await good('DELETE', path);
    expect(await codeOf(request('GET', path))).to.equal('NOT_FOUND');
    expect(await codeOf(request('PATCH', path, {}))).to.equal('NOT_FOUND');
    expect(await codeOf(request('DELETE', path))).to.equal('NOT_FOUND');
    const [listed] = (await good('GET')).data as Record<string, unknown>[];
    expect(listed?.id).to.equal(made.id);
    expect(listed?.revoked_at).to.be.a('string');
  });

  it('pages widgets, oldest first', async () => {
    for (const name of ['c', 'a', 'b']) await good('POST', '', { name });
    await good('POST', '', { name: 's' }, stage.callbacks.sandboxKey);
    const names = async (key?: string) =>
      (await paged((query) => request('GET', `?${query}`, undefined, key), 2)).map(({ name }) => name);
    expect(await names()).to.deep.equal(['c', 'a', 'b', 's']);
    expect(await names(stage.callbacks.sandboxKey)).to.deep.equal(['s']);
  });

  it('rejects unknown or invalid members, without changing anything', async () => {
    const refused: [object, string][] = [
      [{}, 'VALIDATION_ERROR name'],
      [{ name: 'a', allowed_origins: ['shop.example'] }, 'VALIDATION_ERROR allowed_origins[0]'],
      [{ name: 'a', allowed_origins: [PAGE, 'https://shop.example/buy'] }, 'VALIDATION_ERROR allowed_origins[1]'],
      [{ name: 'a', allowed_origins: ['*'] }, 'VALIDATION_ERROR allowed_origins[0]'],
      [{ name: 'a', allowed_origins: ['https://*.com'] }, 'VALIDATION_ERROR allowed_origins[0]'],
      [{ name: 'a', allowed_origins: ['null'] }, 'VALIDATION_ERROR allowed_origins[0]'],
      [{ name: 'a', allowed_origins: ['javascript://shop.example'] }, 'VALIDATION_ERROR allowed_origins[0]'],
      [{ name: 'a', countries: [] }, 'VALIDATION_ERROR countries'],
      [{ name: 'a', countries: ['+966', '966'] }, 'VALIDATION_ERROR countries[1]'],
      [{ name: 'a', countries: ['+96'] }, 'VALIDATION_ERROR countries[0]'],
      [{ name: 'a', countries: ['+881'] }, 'VALIDATION_ERROR countries[0]'],
      [{ name: 'a', countries: 'SA' }, 'VALIDATION_ERROR countries'],
      [{ name: 'a', calls_per_hour: 0 }, 'VALIDATION_ERROR calls_per_hour'],
      [{ name: 'a', calls_per_hour: 1.5 }, 'VALIDATION_ERROR calls_per_hour'],
      [{ name: 'a', calls_per_hour: 100_001 }, 'VALIDATION_ERROR calls_per_hour'],
      [{ name: 'a', language: 'fr' }, 'VALIDATION_ERROR language'],
      [{ name: 'a', theme: { accent: 'red' } }, 'VALIDATION_ERROR theme.accent'],
      [{ name: 'a', destination: { type: 'agent', target: '9999' } }, 'VALIDATION_ERROR destination.target'],
      [{ name: 'a', destination: { type: 'queue', target: newId() } }, 'VALIDATION_ERROR destination.target'],
      [{ name: 'a', destination: { type: 'number', target: '12' } }, 'INVALID_PHONE_NUMBER destination.target'],
    ];
    for (const [json, code] of refused)
      expect(await codeOf(request('POST', '', json)), JSON.stringify(json)).to.equal(code);
    expect((await good('GET')).data).to.deep.equal([]);
  });

  it('shows a sandbox key only sandbox widgets, and other projects none', async () => {
    const { sandboxKey, api } = stage.callbacks;
    const live = await good('POST', '', { name: 'Live' });
    const sandbox = await good('POST', '', { name: 'Sandbox' }, sandboxKey);
    expect([live.sandbox, sandbox.sandbox]).to.deep.equal([false, true]);
    expect((await good('GET')).data).to.have.length(2);
    expect((await good('GET', '', undefined, sandboxKey)).data).to.deep.equal([sandbox]);
    const { key: stranger } = await api.key();
    for (const key of [sandboxKey, stranger]) {
      expect(await codeOf(request('GET', `/${String(live.id)}`, undefined, key))).to.equal('NOT_FOUND');
      expect(await codeOf(request('PATCH', `/${String(live.id)}`, {}, key))).to.equal('NOT_FOUND');
      expect(await codeOf(request('DELETE', `/${String(live.id)}`, undefined, key))).to.equal('NOT_FOUND');
    }
    expect((await good('GET', '', undefined, stranger)).data).to.deep.equal([]);
  });

  it('records who created and revoked a widget', async () => {
    const { id } = await good('POST', '', { name: 'Shop', allowed_origins: [PAGE] });
    await good('DELETE', `/${String(id)}`);
    await stage.callbacks.api.audit.flush();
    const rows = await stage.callbacks.database.db.query<{ route: string; details: { values?: object } }>(
      `SELECT route, details FROM audit_log WHERE path LIKE '/v1/widgets%' AND status < 300 ORDER BY id DESC LIMIT 2`,
    );
    expect(rows.map(({ route }) => route)).to.deep.equal(['/v1/widgets/:id', '/v1/widgets']);
    expect(rows[1]?.details.values).to.deep.equal({ name: 'Shop', allowed_origins: [PAGE] });
  });
});
