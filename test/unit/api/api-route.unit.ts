import { expect } from 'chai';
import { z } from 'zod';
import { JsonSchemas } from '../../../api/http/schema/json-schema.js';
import { canonicalJson } from '../../../api/http/request/json.js';
import { readQuery } from '../../../api/http/request/query.js';
import { codesOf, route } from '../../../api/http/route.js';
import { destination, idParam, phoneNumber } from '../../../api/http/schema/schemas.js';
import { toDetails } from '../../../api/http/validation.js';
import { API_CHANGES } from '../../../core/model/api-changes/index.js';
import { THINGS } from '../../support/sample-routes.js';

describe('a route’s definition', () => {
  it('determines the error codes, in the order of the checks', () => {
    const live = route({ ...THINGS, method: 'POST', keyKind: 'live', flag: 'transfer', errors: ['CALL_NOT_FOUND'] });
    expect(codesOf(live)).to.deep.equal([
      'ORIGIN_NOT_ALLOWED',
      'WCS_NOT_ALLOWED_AS_BEARER',
      'INVALID_API_KEY',
      'EXPIRED_API_KEY',
      'REVOKED_API_KEY',
      'INVALID_ACCESS_TOKEN',
      'EXPIRED_ACCESS_TOKEN',
      'SESSION_IDLE_TIMEOUT',
      'PROJECT_NOT_FOUND',
      'PRODUCTION_TIER_REQUIRED',
      'CALL_CONTROL_DISABLED',
      'INSUFFICIENT_PERMISSIONS',
      'INSUFFICIENT_ROLE',
      'SANDBOX_KEY_NOT_ALLOWED',
      'VALIDATION_ERROR',
      'CALL_NOT_FOUND',
    ]);
    const open = route({ ...THINGS, method: 'GET', keyKind: 'none', scope: null });
    expect(codesOf(open)).to.deep.equal(['VALIDATION_ERROR']);
    const { scope: _, ...people } = THINGS;
    expect(codesOf(route({ ...people, method: 'GET', keyKind: 'user', permission: 'audit:read' }))).to.deep.equal([
      'ORIGIN_NOT_ALLOWED',
      'WCS_NOT_ALLOWED_AS_BEARER',
      'INVALID_API_KEY',
      'EXPIRED_API_KEY',
      'REVOKED_API_KEY',
      'INVALID_ACCESS_TOKEN',
      'EXPIRED_ACCESS_TOKEN',
      'SESSION_IDLE_TIMEOUT',
      'SESSION_REQUIRED',
      'INSUFFICIENT_PERMISSIONS',
      'INSUFFICIENT_ROLE',
      'VALIDATION_ERROR',
    ]);
  });

  it('is idempotent for a POST with a key unless it is set not to be', () => {
    expect(route({ ...THINGS, method: 'POST' }).idempotent).to.equal(true);
    expect(route({ ...THINGS, method: 'POST', idempotent: false }).idempotent).to.equal(false);
    expect(route({ ...THINGS, method: 'PUT' }).idempotent).to.equal(false);
    expect(route({ ...THINGS, method: 'POST', keyKind: 'none', scope: null }).idempotent).to.equal(false);
  });

  it('is rejected if it contradicts itself', () => {
    const body = (schema: z.ZodType) => () => {
      route({ ...THINGS, method: 'POST', body: schema });
    };
    expect(body(z.strictObject({ deep: z.array(z.strictObject({ to: phoneNumber().optional() })) }))).to.throw(
      'INVALID_PHONE_NUMBER',
    );
    expect(body(z.strictObject({ to: phoneNumber().describe('with a text') }).refine(() => true))).to.throw(
      'INVALID_PHONE_NUMBER',
    );
    expect(body(z.strictObject({ to: destination(['number']) }))).to.throw('INVALID_PHONE_NUMBER');
    expect(body(z.strictObject({ to: destination(['sip']) }))).to.not.throw();
    const params = z.strictObject({ id: idParam('CALL_NOT_FOUND') });
    expect(() => route({ ...THINGS, method: 'GET', params })).to.throw('CALL_NOT_FOUND');
    expect(() => route({ ...THINGS, method: 'GET', body: z.strictObject({}) })).to.throw('GET');
    expect(() => route({ ...THINGS, method: 'GET', keyKind: 'none' })).to.throw('scope');
    expect(() => route({ ...THINGS, method: 'GET', errors: ['RATE_LIMIT_EXCEEDED'] })).to.throw('any route');
  });
});

describe('validation messages', () => {
  const linesFor = (schema: z.ZodType, input: unknown) =>
    toDetails(schema.safeParse(input).error?.issues ?? [], input).map(
      ({ path, message, message_ar }) => [path, message, /[\u0600-\u06ff]/.test(message_ar)] as const,
    );

  it('exist in both languages for every kind of fault', () => {
    const schema = z.strictObject({
      text: z.string().min(2).max(3),
      count: z.int().min(1).max(9),
      odd: z.number().multipleOf(5),
      above: z.number().gt(0),
      yes: z.boolean(),
      list: z.array(z.string()).max(1),
      few: z.array(z.string()).min(2),
      kind: z.enum(['a', 'b']),
      one: z.literal('x'),
      union: z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string(), c: z.string() })]),
      tagged: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('a') }),
        z.strictObject({ type: z.literal('b') }),
      ]),
      notes: z.record(z.string().max(3), z.string()),
      shape: z.string().regex(/^\d$/),
      mail: z.email(),
      from: z.union([z.ipv4(), z.ipv6()]),
      object: z.strictObject({}),
    });
    const input = {
      text: 'x',
      count: 1.5,
      odd: 3,
      above: 0,
      yes: 'true',
      list: ['a', 'b'],
      few: [],
      kind: 'c',
      one: 'y',
      union: { a: 1 },
      tagged: { type: 'c' },
      notes: { long_name: 'x' },
      shape: 'x',
      mail: 'x',
      from: '1e309',
      object: [],
      more: 1,
    };
    const lines = linesFor(schema, input);
    expect(lines.every(([, , arabic]) => arabic)).to.equal(true);
    expect(Object.fromEntries(lines.map(([path, message]) => [path, message]))).to.deep.equal({
      text: 'must have at least 2 characters',
      count: 'must be a whole number',
      odd: 'must be a multiple of 5',
      above: 'must be more than 0',
      yes: 'must be true or false',
      list: 'must have at most 1 items',
      few: 'must have at least 2 items',
      kind: 'must be one of: a, b',
      one: 'must be x',
      'union.a': 'must be a text',
      'tagged.type': 'must be one of: a, b',
      'notes.long_name': 'has a name that must have at most 3 characters',
      shape: 'must match /^\\d$/',
      mail: 'must be an email address',
      from: 'must be an IP address',
      object: 'must be an object',
      more: 'is not a known field',
    });
    expect(linesFor(z.strictObject({ list: z.array(z.int()) }), { list: [1, 'x'] })[0]?.[0]).to.equal('list[1]');
  });

  it('are limited in number', () => {
    const input = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, 1]));
    expect(linesFor(z.strictObject({}), input)).to.have.lengthOf(50);
  });
});

describe('reading requests', () => {
  it('decodes a query like a form', () => {
    const query = readQuery('/x?a=1&b=x+y&b=%2B&c&%zz=1&__proto__=p');
    expect({ ...query }).to.deep.include({ a: '1', b: ['x y', '+'], c: '', '%zz': '1' });
    expect(Object.getPrototypeOf(query)).to.equal(null);
    expect(Object.keys(readQuery('/x'))).to.deep.equal([]);
  });

  it('serializes equal requests identically', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).to.equal('{"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson([1, 2])).to.not.equal(canonicalJson([2, 1]));
    expect(canonicalJson({ a: '1' })).to.not.equal(canonicalJson({ a: 1 }));
  });
});

describe('the document’s schemas', () => {
  it('contain a named schema once, and its input schema separately if it differs', () => {
    const schemas = new JsonSchemas();
    const Part = z.strictObject({ n: z.int().default(1) }).meta({ id: 'Part' });
    const Whole = z.strictObject({ parts: z.array(Part) }).meta({ id: 'Whole' });
    expect(schemas.of(Whole, 'output')).to.deep.equal({ $ref: '#/components/schemas/Whole' });
    expect(schemas.of(Part, 'output')).to.deep.equal({ $ref: '#/components/schemas/Part' });
    expect(schemas.of(Part, 'input')).to.deep.equal({ $ref: '#/components/schemas/PartInput' });
    expect(Object.keys(schemas.components).sort()).to.deep.equal(['Part', 'PartInput', 'Whole']);
    expect(schemas.components.Whole).to.have.nested.property(
      'properties.parts.items.$ref',
      '#/components/schemas/Part',
    );
  });
});

describe('the change history', () => {
  it('is newest first, in both languages, and goes back to the first entry', () => {
    const dates = API_CHANGES.map(({ date }) => date);
    expect(dates).to.deep.equal([...dates].sort().reverse());
    expect(dates.at(-1)).to.equal('2026-07-01');
    for (const { date, text, text_ar } of API_CHANGES) {
      expect(new Date(date).toISOString().slice(0, 10)).to.equal(date);
      expect(text_ar, text).to.match(/[\u0600-\u06ff]|`/);
      expect(text.split('`').length % 2, text).to.equal(1);
      expect(text_ar.split('`').length % 2, text_ar).to.equal(1);
    }
  });
});
