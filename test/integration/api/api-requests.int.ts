import { expect } from 'chai';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { newId } from '../../../core/model/ids.js';
import { eventually } from '../../support/eventually.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { envelopeProblems } from '../../support/judges/route-contract.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';
import { detailsOf } from '../../support/judges/outcome.js';

describe('requests and their answers', () => {
  let database: TestDatabase;
  let api: TestApi;
  let key: string;
  const gate = new Gate();

  before(async function () {
    this.timeout(60_000);
    database = await testDatabase();
    api = await testApi({ db: database.db, routes: sampleRoutes(gate) });
    ({ key } = await api.key());
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  const post = (json: unknown, headers = {}) => api.request('POST', '/v1/orders', { key, json, headers });
  const get = (query: string) => api.request('GET', `/v1/orders${query}`, { key });
  const fails = (answer: Answer, status: number, code: string) => {
    expect([answer.status, answer.body?.error_code], answer.text).to.deep.equal([status, code]);
    expect(envelopeProblems(answer, api)).to.deep.equal([]);
  };

  it('keeps a well-formed request id and replaces any other', async () => {
    const longest = 'a'.repeat(128);
    for (const own of ['order-1', 'A.b_c-9', longest]) {
      expect((await get('')).headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      const answer = await api.request('GET', '/v1/orders', { headers: { 'X-Request-Id': own } });
      expect(answer.headers.get('x-request-id')).to.equal(own);
      expect(answer.body?.request_id).to.equal(own);
    }
    for (const bad of [`${longest}a`, 'a b', 'a/b', 'é']) {
      const answer = await api.request('GET', '/v1/nothing', { headers: { 'X-Request-Id': bad } });
      expect(answer.headers.get('x-request-id'), bad).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
    expect(api.log.some((line) => line.includes('"request_id":"order-1"'))).to.equal(true);
  });

  it('logs each refused request with its error code, and without the query', async () => {
    const reader = await api.key({ scopes: ['usage:read'] });
    const refused = [
      ['log-401', 'INVALID_API_KEY', {}],
      ['log-403', 'INSUFFICIENT_PERMISSIONS', { key: reader.key }],
      ['log-400', 'VALIDATION_ERROR', { key }],
    ] as const;
    for (const [id, , options] of refused) {
      await api.request('GET', '/v1/orders?no_such_field=hidden', { ...options, headers: { 'X-Request-Id': id } });
    }
    const lineOf = (id: string) =>
      api.log.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ request_id }) => request_id === id);
    await eventually(() => refused.every(([id]) => lineOf(id) !== undefined), 'each request is in the log');
    for (const [id, code] of refused) {
      expect(lineOf(id)).to.include({ error_code: code, method: 'GET', path: '/v1/orders', ip: '127.0.0.1' });
      expect(JSON.stringify(lineOf(id))).to.not.include('hidden');
    }
    expect(lineOf('log-403')).to.include({ key_id: reader.view.id });
  });

  it('names each invalid field in both languages', async () => {
    const answer = await post({
      size: 0,
      connect: { type: 'sip', target: 'nonsense' },
      metadata: { ok: 1 },
      colour: 'red',
    });
    fails(answer, 400, 'VALIDATION_ERROR');
    const byPath = new Map(detailsOf(answer).map((detail) => [detail.path, detail]));
    expect([...byPath.keys()]).to.have.members(['to', 'size', 'connect.target', 'metadata.ok', 'colour']);
    expect(byPath.get('to')).to.include({ message: 'is required', message_ar: 'هذا الحقل مطلوب' });
    expect(byPath.get('size')?.message).to.equal('must be at least 1');
    expect(byPath.get('connect.target')?.message).to.include('SIP URI');
    expect(byPath.get('connect.target')?.message_ar)
      .to.match(/SIP/)
      .and.match(/[\u0600-\u06ff]/);
    expect(byPath.get('colour')?.message).to.equal('is not a known field');
    expect(answer.body?.message).to.include('to: is required');
  });

  it('returns a field’s own error code if nothing else is invalid', async () => {
    fails(await post({ to: '12' }), 400, 'INVALID_PHONE_NUMBER');
    fails(await post({ to: '+966501234567', connect: { type: 'number', target: 'x' } }), 400, 'INVALID_PHONE_NUMBER');
    fails(await post({ to: '12', size: 'x' }), 400, 'VALIDATION_ERROR');
    fails(await post({ to: 5 }), 400, 'VALIDATION_ERROR');
    fails(await get('?number=12'), 400, 'INVALID_PHONE_NUMBER');
  });

  it('accepts numbers as people write them', async () => {
    for (const to of ['+966501234567', '0501234567', '٠٥٠١٢٣٤٥٦٧', '00966 50 123 4567']) {
      expect((await post({ to })).body?.to, to).to.equal('+966501234567');
    }
  });

  it('accepts times only with an offset, even if its plus sign is not encoded', async () => {
    const seen = async (query: string) => (await get(query)).body?.seen;
    const utc = { from: '2025-12-31T21:00:00.000Z' };
    expect(await seen('?from=2026-01-01T00:00:00+03:00')).to.deep.include(utc);
    expect(await seen('?from=2026-01-01T00:00:00%2B03:00')).to.deep.include(utc);
    expect(await seen('?from=2025-12-31T21:00:00Z&number=+966501234567')).to.deep.include({
      ...utc,
      number: '+966501234567',
    });
    expect(await seen('?open=false')).to.deep.include({ open: false });
    for (const wrong of ['2026-01-01T00:00:00', '2026-02-30T00:00:00Z', 'yesterday', '']) {
      const answer = await get(`?from=${wrong}`);
      fails(answer, 400, 'VALIDATION_ERROR');
      expect(detailsOf(answer)[0]?.path).to.equal('from');
    }
    const turned = await get('?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z');
    expect(detailsOf(turned)).to.have.lengthOf(1);
    expect(detailsOf(turned)[0]).to.include({ path: 'from', message: 'must not be later than to' });
  });

  it('accepts each parameter once, and whole numbers in either script', async () => {
    expect((await get('?limit=٥')).body?.limit).to.equal(5);
    for (const wrong of ['limit=0', 'limit=101', 'limit=1.5', 'limit=x', 'limit=', 'limit=5&limit=6', 'open=yes']) {
      fails(await get(`?${wrong}`), 400, 'VALIDATION_ERROR');
    }
    expect(detailsOf(await get('?limit=5&limit=6'))[0]?.message).to.equal('must be given once');
  });

  it('pages by cursor to the end, and rejects cursors that it did not issue for this list', async () => {
    const numbers: number[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: Answer = await get(`?limit=10${cursor === null ? '' : `&cursor=${cursor}`}`);
      numbers.push(...(page.body?.data as { n: number }[]).map(({ n }) => n));
      cursor = page.body?.next_cursor as string | null;
      pages += 1;
    } while (cursor !== null);
    expect(pages).to.equal(3);
    expect(numbers).to.deep.equal(Array.from({ length: 25 }, (_, index) => index + 1));
    const genuine = String((await get('?limit=10')).body?.next_cursor);
    const [position = '', mac = ''] = genuine.split('.');
    const moved = `${Buffer.from('20').toString('base64url')}.${mac}`;
    for (const wrong of [moved, `${genuine}x`, position, `${position}.`, `.${mac}`, `${genuine}.x`, 'x', '']) {
      const answer = await get(`?cursor=${wrong}`);
      fails(answer, 400, 'VALIDATION_ERROR');
      expect(detailsOf(answer)[0]?.path).to.equal('cursor');
    }
    const stranger = await api.key();
    fails(await api.request('GET', `/v1/orders?cursor=${genuine}`, { key: stranger.key }), 400, 'VALIDATION_ERROR');
  });

  it('pages by number if requested, and rejects a mix of both ways', async () => {
    const ask = async (query: string) => (await api.request('GET', `/v1/order-pages${query}`, { key })).body;
    expect(await ask('')).to.deep.equal({ mode: 'cursor', limit: 20 });
    expect(await ask('?page_size=50')).to.deep.equal({ mode: 'page', page: 1, pageSize: 50 });
    expect(await ask('?page=3')).to.deep.equal({ mode: 'page', page: 3, pageSize: 20 });
    for (const both of ['?page=1&limit=5', '?page_size=5&cursor=x']) {
      fails(await api.request('GET', `/v1/order-pages${both}`, { key }), 400, 'VALIDATION_ERROR');
    }
    fails(await api.request('GET', '/v1/order-pages?page=0', { key }), 400, 'VALIDATION_ERROR');
  });

  it('returns the resource’s 404 for a malformed id, once everything else is valid', async () => {
    const answer = await api.request('GET', '/v1/orders/nonsense', { key });
    fails(answer, 404, 'CALL_NOT_FOUND');
    expect(answer.body?.message).to.include('nonsense');
    expect(answer.body).to.not.have.property('details');
    fails(await api.request('GET', '/v1/orders/nonsense?x=1', { key }), 400, 'VALIDATION_ERROR');
    const upper = newId().toUpperCase();
    const found = await api.request('GET', `/v1/orders/${upper}`, { key });
    expect(found.body).to.deep.equal({ order_id: upper.toLowerCase() });
  });

  it('rejects bodies that are not JSON objects in UTF-8', async () => {
    const send = (raw: string, type = 'application/json') =>
      api.request('POST', '/v1/orders', { key, raw, headers: { 'Content-Type': type } });
    for (const raw of ['{', '{"to":}', '[]', '"text"', '1', 'null', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`]) {
      fails(await send(raw), 400, 'VALIDATION_ERROR');
    }
    for (const raw of [
      '{"to":"\\u0000"}',
      '{"metadata":{"a":"\\ud800"}}',
      '{"__proto__":{"size":1}}',
      '{"a\\u0000":1}',
    ]) {
      fails(await send(raw), 400, 'VALIDATION_ERROR');
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
      const answer = await send('{"to":"+966501234567"}', type);
      fails(answer, 400, 'VALIDATION_ERROR');
      expect(detailsOf(answer)[0]?.path).to.equal('Content-Type');
    }
    expect((await send('{"to":"+966501234567"}', 'application/json; charset=UTF-8')).status).to.equal(201);
    const empty = await api.request('POST', '/v1/orders', { key });
    expect(detailsOf(empty)[0]).to.include({ path: 'to', message: 'is required' });
    expect((await api.request('POST', '/v1/orders/1/hurry', { key })).status).to.equal(200);
  });

  it('simulates the failure that a sandbox key requests, whatever the method', async () => {
    const sandbox = (await api.key({ kind: 'sandbox' })).key;
    const fail = (method: string, path: string, wanted: string, as = sandbox) =>
      api.request(method, path, { key: as, headers: { 'X-Simulate': wanted } });
    fails(await fail('GET', '/v1/orders', 'rate_limit'), 429, 'RATE_LIMIT_EXCEEDED');
    fails(await fail('GET', '/v1/orders', 'server_error'), 500, 'SANDBOX_SIMULATED_SERVER_ERROR');
    fails(await fail('POST', '/v1/orders/1/hurry', 'server_error'), 500, 'SANDBOX_SIMULATED_SERVER_ERROR');
    fails(await fail('GET', '/v1/orders', 'credits'), 400, 'VALIDATION_ERROR');
    expect((await fail('GET', '/v1/orders', 'server_error', key)).status).to.equal(200);
  });

  it('answers NUL in a query with 400 and in a path with 404', async () => {
    for (const query of ['?number=%00', '?cursor=a%00', '?a%00=1', '?limit=5&limit=%00']) {
      fails(await get(query), 400, 'VALIDATION_ERROR');
    }
    expect(detailsOf(await get('?cursor=a%00'))[0]).to.include({ path: 'cursor' });
    fails(await api.request('GET', '/v1/orders/%00', { key }), 404, 'CALL_NOT_FOUND');
    fails(await api.request('POST', '/v1/orders/a%00b/hurry', { key }), 404, 'NOT_FOUND');
    fails(await api.request('GET', '/v1/orders/%00?x=1', { key }), 400, 'VALIDATION_ERROR');
    fails(await api.request('GET', '/v1/%00', { key }), 404, 'NOT_FOUND');
  });

  it('rejects a body over 1 MiB, announced or not, and reads no body without a valid key', async () => {
    const big = JSON.stringify({ to: 'x'.repeat(1024 * 1024) });
    fails(
      await api.request('POST', '/v1/orders', { key, raw: big, headers: { 'Content-Type': 'application/json' } }),
      413,
      'PAYLOAD_TOO_LARGE',
    );
    const { statusCode, body } = await chunked({ Authorization: `Bearer ${key}` }, big);
    expect([statusCode, body.error_code]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    const stranger = await chunked({}, big);
    expect([stranger.statusCode, stranger.body.error_code]).to.deep.equal([401, 'INVALID_API_KEY']);
  });

  const chunked = async (headers: Record<string, string>, text: string) => {
    const req = httpRequest(`${api.url}/v1/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    req.on('error', () => undefined);
    for (let at = 0; at < text.length; at += 65_536) req.write(text.slice(at, at + 65_536));
    req.end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of res) chunks.push(chunk as Buffer);
    return {
      statusCode: res.statusCode,
      body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
    };
  };

  it('accepts one file of a form and the other fields', async () => {
    const form = (field: string, bytes: number, name?: string) => {
      const data = new FormData();
      data.set(field, new Blob([Buffer.alloc(bytes, 1)], { type: 'audio/wav' }), 'hello.wav');
      if (name !== undefined) data.set('name', name);
      return api.request('POST', '/v1/order-audio', { key, raw: data });
    };
    expect((await form('file', 2048)).body).to.deep.equal({ bytes: 2048, name: 'hello.wav' });
    expect((await form('file', 10, 'Greeting')).body).to.deep.equal({ bytes: 10, name: 'Greeting' });
    fails(await form('file', 2049), 413, 'PAYLOAD_TOO_LARGE');
    fails(await form('other', 10), 400, 'VALIDATION_ERROR');
    fails(await form('file', 10, 'x'.repeat(21)), 400, 'VALIDATION_ERROR');
    const none = new FormData();
    none.set('name', 'x');
    fails(await api.request('POST', '/v1/order-audio', { key, raw: none }), 400, 'VALIDATION_ERROR');
    fails(await api.request('POST', '/v1/order-audio', { key, json: {} }), 400, 'VALIDATION_ERROR');
    const broken = { key, raw: 'nothing of the kind', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } };
    fails(await api.request('POST', '/v1/order-audio', broken), 400, 'VALIDATION_ERROR');
  });

  it('wraps the errors of Express in the envelope', async () => {
    fails(await api.request('GET', '/v1/orders/%E0%A4%A', { key }), 400, 'VALIDATION_ERROR');
  });

  it('answers 204 without a body', async () => {
    const answer = await api.request('DELETE', `/v1/orders/${newId()}`, { key });
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
  });

  it('streams events until the client disconnects', async () => {
    const client = new AbortController();
    const ended = once(gate, 'stream-ended');
    const response = await fetch(`${api.url}/v1/order-stream`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: client.signal,
    });
    expect(response.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).to.equal('id: 1\nevent: tick\ndata: {"n":1,"text":"line one\\nline two"}\n\n');
    gate.emit('tick');
    expect((await reader.read()).value).to.match(/^id: 2\n/);
    client.abort();
    await ended;
  });

  it('returns the error of a failing component in both languages', async () => {
    const failing = await post({ to: '+966501234567', size: 9 });
    fails(failing, 502, 'CALL_FAILED');
    expect(failing.body?.message_ar).to.include('لا يوجد محرك');
  });

  it('returned no error that a definition does not list', () => {
    expect(api.faults).to.deep.equal([]);
    expect([...api.produced]).to.include.members(['CALL_FAILED POST /v1/orders', 'PAYLOAD_TOO_LARGE POST /v1/orders']);
  });
});
