import type { JsonSchema } from '../../api/http/schema/json-schema.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** One operation of an API document, with what a request to it contains. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly keyKind: string;
  /** The scope that its key needs. */
  readonly scope: string | null;
  /** The roles whose members may call it. */
  readonly roles: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly schema: JsonSchema } | null;
  /** The error codes that it describes, by status. */
  readonly describes: (status: number, code: string) => boolean;
  /** Whether its answer with this status is a page for people, without the envelope of errors. */
  readonly isPage: (status: number) => boolean;
}

interface Described {
  readonly operationId: string;
  readonly 'x-key-kind'?: string;
  readonly 'x-scope'?: string;
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly (Partial<Parameter> & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** Every operation of an OpenAPI document. */
export function operationsOf(document: unknown): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operation(method.toUpperCase(), path, described)),
  );
}

function operation(method: string, path: string, described: Described): Operation {
  const [body] = Object.entries(described.requestBody?.content ?? {});
  return {
    operationId: described.operationId,
    method,
    path,
    keyKind: described['x-key-kind'] ?? 'any',
    scope: described['x-scope'] ?? null,
    roles: described['x-roles'] ?? [],
    parameters: (described.parameters ?? []).filter((each): each is Parameter => each.name !== undefined),
    body: body ? { type: body[0], schema: body[1].schema } : null,
    isPage: (status) =>
      Object.keys(described.responses[String(status)]?.content ?? {})
        .join()
        .startsWith('text/html'),
    describes: (status, code) => JSON.stringify(described.responses[String(status)] ?? null).includes(`"${code}"`),
  };
}
