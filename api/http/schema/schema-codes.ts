import { z } from 'zod';
import type { ErrorCode } from '../../../core/model/errors/index.js';

/** Schemas that fail with their own code instead of VALIDATION_ERROR. */
const coded = z.registry<{ code: ErrorCode }>();

/** Name of the member of an issue's `params` that carries the code. */
export const CODE_PARAM = 'errorCode';

/** Marks a schema whose custom issues carry `params: {errorCode}` with that code. */
export function markCode<S extends z.ZodType>(schema: S, code: ErrorCode): S {
  coded.add(schema, { code });
  return schema;
}

/** The marked codes of a schema and of all schemas inside it. */
export function codesOfSchema(schema: z.ZodType): ErrorCode[] {
  const found = new Set<ErrorCode>();
  const seen = new Set<z.core.$ZodType>();
  const walk = (one: z.core.$ZodType): void => {
    if (seen.has(one)) return;
    seen.add(one);
    const code = coded.get(one as z.ZodType)?.code;
    if (code !== undefined) found.add(code);
    childrenOf(one).forEach(walk);
  };
  walk(schema);
  return [...found];
}

function childrenOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return Object.values(def.shape);
    case 'array':
      return [def.element];
    case 'union':
      return def.options;
    case 'intersection':
      return [def.left, def.right];
    case 'record':
      return [def.keyType, def.valueType];
    case 'pipe':
      return [def.in, def.out];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return [def.innerType];
    default:
      return [];
  }
}
