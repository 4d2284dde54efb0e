import type { Document } from './shape.js';
import { GROUP_SCHEMA, PROVIDER_SCHEMA, RESOURCE_TYPE_SCHEMA, SCHEMA_SCHEMA, USER_SCHEMA } from './urns.js';

/** Resources of one page if a client does not say; and at most. */
export const DEFAULT_COUNT = 100;
export const MOST_COUNT = 200;

/** What this service can do (RFC 7643 §5). @param base its address, without a trailing slash */
export function serviceProviderConfig(base: string, documentation: string): Document {
  const no = { supported: false };
  return {
    schemas: [PROVIDER_SCHEMA],
    documentationUri: documentation,
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_COUNT },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The token of the organization, made by an owner',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** The kinds of resources (RFC 7643 §6). */
export function resourceTypes(base: string): readonly Document[] {
  return [
    ['User', '/Users', 'Member of the organization', USER_SCHEMA],
    ['Group', '/Groups', 'Group of members', GROUP_SCHEMA],
  ].map(([id, endpoint, description, schema]) => ({
    schemas: [RESOURCE_TYPE_SCHEMA],
    id,
    name: id,
    endpoint,
    description,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${String(id)}` },
  }));
}

interface Attribute {
  readonly name: string;
  readonly type?: 'string' | 'boolean' | 'complex';
  readonly description: string;
  readonly required?: boolean;
  readonly multiValued?: boolean;
  readonly mutability?: 'readOnly' | 'readWrite' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly parts?: readonly Attribute[];
}

const USER_ATTRIBUTES: readonly Attribute[] = [
  { name: 'userName', description: 'An e-mail address in a verified domain', required: true, uniqueness: 'server' },
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of the name',
    parts: ['formatted', 'givenName', 'familyName'].map((name) => ({ name, description: 'A part of the name' })),
  },
  { name: 'displayName', description: 'The name of the member' },
  { name: 'locale', description: 'Decides the language of mails, if preferredLanguage does not' },
  { name: 'preferredLanguage', description: 'Language of mails: Arabic if it begins with ar, otherwise English' },
  { name: 'active', type: 'boolean', description: 'Whether the member may sign in' },
  {
    name: 'emails',
    type: 'complex',
    description: 'Used if userName is no e-mail address',
    multiValued: true,
    parts: [
      { name: 'value', description: 'The address' },
      { name: 'type', description: 'Such as work' },
      { name: 'primary', type: 'boolean', description: 'Whether it is the main address' },
    ],
  },
  {
    name: 'groups',
    type: 'complex',
    description: 'Groups of which the member is one',
    multiValued: true,
    mutability: 'readOnly',
    parts: [
      { name: 'value', description: 'ID of the group', mutability: 'readOnly' },
      { name: 'display', description: 'Its name', mutability: 'readOnly' },
    ],
  },
];

const GROUP_ATTRIBUTES: readonly Attribute[] = [
  {
    name: 'displayName',
    description: 'The name, which the rules of roles refer to',
    required: true,
    uniqueness: 'server',
  },
  {
    name: 'members',
    type: 'complex',
    description: 'Members of the organization; groups in groups are not supported',
    multiValued: true,
    parts: [
      { name: 'value', description: 'ID of the user', mutability: 'immutable' },
      { name: 'display', description: 'Name of the user', mutability: 'readOnly' },
      { name: 'type', description: 'User', mutability: 'readOnly' },
    ],
  },
];

/** The attributes that are kept (RFC 7643 §7). */
export function schemas(base: string): readonly Document[] {
  return [
    schema(base, USER_SCHEMA, 'User', 'Member of the organization', USER_ATTRIBUTES),
    schema(base, GROUP_SCHEMA, 'Group', 'Group of members', GROUP_ATTRIBUTES),
  ];
}

function schema(
  base: string,
  id: string,
  name: string,
  description: string,
  attributes: readonly Attribute[],
): Document {
  return {
    schemas: [SCHEMA_SCHEMA],
    id,
    name,
    description,
    attributes: attributes.map(described),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

function described({ parts, ...attribute }: Attribute): Document {
  const {
    type = 'string',
    required = false,
    multiValued = false,
    mutability = 'readWrite',
    uniqueness = 'none',
  } = attribute;
  return {
    name: attribute.name,
    type,
    multiValued,
    description: attribute.description,
    required,
    ...(type === 'string' && { caseExact: false }),
    mutability,
    returned: 'default',
    uniqueness,
    ...(parts !== undefined && { subAttributes: parts.map(described) }),
  };
}
