import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { DEMO_REQUESTS } from '../../../api/examples/requests.js';
import type { Route } from '../../../api/http/route.js';

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown; readonly $ref?: string }>>;
}
type Content = Readonly<Record<string, Media>>;

interface Described {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name?: string;
    readonly schema?: { readonly minimum?: number; readonly maximum?: number };
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description?: string; 'x-description-ar'?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly examples: Readonly<Record<string, { readonly value: unknown }>> };
}

const ARABIC = /[\u0600-\u06ff]/;
/** Files have no example in text, and the document is no example of itself. */
const WITHOUT_EXAMPLE = /^(audio\/|application\/gzip|application\/pdf|application\/octet-stream|multipart\/)/;
const NOT_SHOWN = 'getOpenApi';

export function operationsIn({ paths }: ApiDocument): readonly Described[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** What the specification of OpenAPI does not allow in the document. */
export async function specificationProblems(document: object): Promise<unknown[]> {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
  return valid ? [] : [errors];
}

/** Requests and answers without an example, and examples that are not valid. */
export function exampleProblems(document: ApiDocument, routes: readonly Route[]): string[] {
  const byId = new Map(routes.map((route) => [route.operationId, route]));
  const problems = Object.keys(DEMO_REQUESTS)
    .filter((id) => !byId.has(id))
    .map((id) => `${id} is no operation`);
  for (const { operationId, requestBody, responses } of operationsIn(document)) {
    const route = byId.get(operationId)!;
    const check = (what: string, content: Content, schema: z.ZodType | null): void => {
      for (const [type, media] of Object.entries(content)) {
        if (WITHOUT_EXAMPLE.test(type) || operationId === NOT_SHOWN) continue;
        const shown = valuesOf(media, document);
        if (shown.length === 0) problems.push(`${operationId}: ${what} has no example`);
        if (schema === null || !type.startsWith('application/json')) continue;
        for (const value of shown) {
          const { error } = schema.safeParse(value);
          if (error) problems.push(`${operationId}: ${what}: ${z.prettifyError(error)}`);
        }
      }
    };
    if (requestBody) check('the request', requestBody.content, route.body);
    for (const [status, { content = {} }] of Object.entries(responses)) {
      check(status, content, route.responses[Number(status)]?.schema ?? errorSchema);
    }
  }
  return problems;
}

const errorSchema = z.strictObject({
  error_code: z.string(),
  message: z.string().regex(/^[^{}]+$/),
  message_ar: z
    .string()
    .regex(ARABIC)
    .regex(/^[^{}]+$/),
  request_id: z.string(),
  docs_url: z.url(),
  details: z.array(z.unknown()).optional(),
});

function valuesOf({ example, examples = {} }: Media, { components }: ApiDocument): unknown[] {
  const named = Object.values(examples).map(({ value, $ref }) =>
    $ref === undefined ? value : components.examples[$ref.slice('#/components/examples/'.length)]?.value,
  );
  return [...(example === undefined ? [] : [example]), ...named].filter((value) => value !== undefined);
}

/** Lists whose pages may be empty or longer than a hundred, and lists without pages that may be longer than a thousand. */
export function pageProblems(document: ApiDocument): string[] {
  return operationsIn(document).flatMap(({ operationId, parameters }) => {
    const most = parameters.some(({ name }) => name === 'cursor' || name === 'page') ? 100 : 1000;
    return parameters
      .filter(({ name }) => name === 'limit' || name === 'page_size')
      .filter(({ schema }) => schema?.minimum !== 1 || !((schema.maximum ?? Infinity) <= most))
      .map(({ name }) => `${operationId}: ${String(name)} is not from 1 to ${most} at most`);
  });
}

/** Groups that are not described in both languages. */
export function tagProblems({ tags }: ApiDocument): string[] {
  return tags
    .filter((tag) => tag.description === undefined || !ARABIC.test(tag['x-description-ar'] ?? ''))
    .map(({ name }) => `${name} is not described in both languages: api/document/tags.ts`);
}
