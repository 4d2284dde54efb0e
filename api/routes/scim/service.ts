import { z } from 'zod';
import { HatifError } from '../../../core/model/errors/index.js';
import { listResponse } from '../../../core/model/scim/list.js';
import { resourceTypes, schemas, serviceProviderConfig } from '../../../core/model/scim/service.js';
import type { Document } from '../../../core/model/scim/shape.js';
import { arabic } from '../../../core/model/wording/wording.js';
import { route, type Route } from '../../http/route.js';
import { baseOf, listObject, resourceObject, shared } from './fields.js';

/** A resource that describes the service; some have no id. */
const described = z.looseObject({ schemas: z.array(z.string()) });
const params = z.strictObject({ id: z.string().max(200) });

/** What the SCIM service is and can do (RFC 7644 §4). */
export function scimServiceRoutes({ publicUrl }: { readonly publicUrl: () => string }): Route[] {
  const base = (): string => baseOf(publicUrl());
  const list = (resources: readonly Document[]) =>
    listResponse(resources, resources.length, 1) as z.output<typeof listObject>;
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/ServiceProviderConfig',
      operationId: 'scimGetConfig',
      summary: 'Read what the service can do',
      summaryAr: 'قراءة إمكانات الخدمة',
      responses: { 200: { schema: described, description: 'The configuration' } },
      errors: [],
      handler: () => ({
        status: 200,
        body: serviceProviderConfig(base(), `${publicUrl()}/docs/guide/how-to/single-sign-on`) as z.output<
          typeof described
        >,
      }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/ResourceTypes',
      operationId: 'scimListResourceTypes',
      summary: 'List the kinds of resources',
      summaryAr: 'عرض أنواع الموارد',
      responses: { 200: { schema: listObject, description: 'Users and groups' } },
      errors: [],
      handler: () => ({ status: 200, body: list(resourceTypes(base())) }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/ResourceTypes/:id',
      operationId: 'scimGetResourceType',
      summary: 'Read a kind of resource',
      summaryAr: 'قراءة نوع مورد',
      params,
      responses: { 200: { schema: resourceObject, description: 'The kind' } },
      errors: ['NOT_FOUND'],
      handler: ({ params: { id } }) => ({ status: 200, body: named(resourceTypes(base()), id) }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/Schemas',
      operationId: 'scimListSchemas',
      summary: 'List the schemas',
      summaryAr: 'عرض المخططات',
      responses: { 200: { schema: listObject, description: 'The attributes that are kept' } },
      errors: [],
      handler: () => ({ status: 200, body: list(schemas(base())) }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/Schemas/:id',
      operationId: 'scimGetSchema',
      summary: 'Read a schema',
      summaryAr: 'قراءة مخطط',
      params,
      responses: { 200: { schema: resourceObject, description: 'The schema' } },
      errors: ['NOT_FOUND'],
      handler: ({ params: { id } }) => ({ status: 200, body: named(schemas(base()), id) }),
    }),
  ];
}

/** @throws HatifError NOT_FOUND */
function named(resources: readonly Document[], id: string): z.output<typeof resourceObject> {
  const found = resources.find((resource) => resource.id === id);
  if (found === undefined) throw new HatifError('NOT_FOUND', { what: { en: id, ar: arabic`${id}` } });
  return found as z.output<typeof resourceObject>;
}
