import type { z } from 'zod';
import { ERROR_CATALOGUE, HatifError, invalidField, validationError } from '../../core/model/errors/index.js';
import type { ErrorCode, SlotsOf } from '../../core/model/errors/index.js';
import { CODE_PARAM } from './schema/schema-codes.js';
import { toDetails, valueAt, type Detail } from './validation.js';

/**
 * Parses the input with the schema.
 * @throws HatifError VALIDATION_ERROR, or the field's own code if all invalid fields have the same one.
 */
export function checkRequest(schema: z.ZodType, input: unknown): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { issues } = result.error;
  const details = toDetails(issues, input);
  const [first, ...others] = details;
  if (first === undefined) throw invalidField('body');
  const codes = new Set(
    issues.map((issue): unknown => (issue.code === 'custom' ? issue.params?.[CODE_PARAM] : undefined)),
  );
  const [code] = codes;
  if (codes.size > 1 || typeof code !== 'string') throw validationError([first, ...others]);
  const given = valueAt(input, issues[0]?.path ?? []);
  throw codedError(code as ErrorCode, first, typeof given === 'string' ? given : '', details);
}

/** A schema with what it checks. */
type Part = readonly [schema: z.ZodType, input: unknown];

/**
 * Parses the query and the body.
 * @throws HatifError as {@link checkRequest}; VALIDATION_ERROR names the invalid fields of both
 */
export function checkBoth([querySchema, query]: Part, [bodySchema, body]: Part): { query: unknown; body: unknown } {
  const [ofQuery, ofBody] = [querySchema.safeParse(query), bodySchema.safeParse(body)];
  if (ofQuery.success || ofBody.success) {
    return { query: checkRequest(querySchema, query), body: checkRequest(bodySchema, body) };
  }
  const [first, ...others] = [...toDetails(ofQuery.error.issues, query), ...toDetails(ofBody.error.issues, body)];
  throw first === undefined ? invalidField('body') : validationError([first, ...others]);
}

/** A resource whose name no resource can have: the route's own code for an unknown one, or NOT_FOUND. */
export function neverFound(errors: readonly ErrorCode[], name: string, what: string): HatifError {
  const own = errors.find((code) => code !== 'NOT_FOUND' && ERROR_CATALOGUE[code].status === 404);
  return own === undefined
    ? new HatifError('NOT_FOUND', { what })
    : codedError(own, { path: '', message: '', message_ar: '' }, name, []);
}

/** Fills the message's slots by name: `field` with the path, any other with the invalid value. */
function codedError(code: ErrorCode, { path }: Detail, given: string, details: readonly Detail[]): HatifError {
  const names = Array.from(ERROR_CATALOGUE[code].message.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const slots = Object.fromEntries(names.map((name) => [name, name === 'field' ? path : given]));
  const listed = ERROR_CATALOGUE[code].status === 404 ? {} : { details };
  // The type cannot express that the slots come from this code's message.
  return new HatifError<ErrorCode>(code, slots as SlotsOf<ErrorCode>, listed);
}
