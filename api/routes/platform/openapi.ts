import { z } from 'zod';
import { openApiDocument } from '../../http/openapi.js';
import { route, type Route } from '../../http/route.js';

export interface OpenApiRouteOptions {
  /** All routes, this one among them; asked for once, at the first request. */
  readonly routes: () => readonly Route[];
  readonly version: string;
  readonly publicUrl: () => string;
}

export function openApiRoute({ routes, version, publicUrl }: OpenApiRouteOptions): Route {
  let made: string | null = null;
  return route({
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'getOpenApi',
    summary: 'Get the OpenAPI document',
    summaryAr: 'هذا المستند',
    description: 'The OpenAPI 3.1 description of every route. Requires no key.',
    tag: 'Service',
    scope: null,
    keyKind: 'none',
    responses: { 200: { schema: z.looseObject({ openapi: z.string() }), description: 'OpenAPI 3.1' } },
    errors: [],
    handler: () => {
      made ??= JSON.stringify(openApiDocument({ routes: routes(), version, serverUrl: publicUrl() }));
      return { status: 200, raw: made, contentType: 'application/json; charset=utf-8' };
    },
  });
}
