import { ACCOUNT_PERMISSIONS } from '../../core/model/access/roles.js';
import { SCOPES } from '../../core/model/access/scopes.js';
import { MODE_HEADER, PROJECT_HEADER } from './admit-user.js';
import { takesApiKey, type Route } from './route.js';

type Node = Readonly<Record<string, unknown>>;

/** The ways in which requests prove who makes them, for the API document. */
export const SECURITY_SCHEMES: Readonly<Record<string, Node>> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_sandbox_… or sk_live_…',
    description: `Scopes: ${SCOPES.join(', ')}`,
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'at_…',
    description: `The access token of a signed-in user's session, from \`POST /v1/sessions\`. What the user may do depends on the role: the scopes of keys, and ${ACCOUNT_PERMISSIONS.join(', ')}.`,
  },
  administratorToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'adm_…',
    description: 'The token of an administrator of the installation.',
  },
  scimToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'scim_…',
    description: 'The token with which a directory provisions an organization, from `POST /v1/scim/token`.',
  },
  widgetKey: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'The public key of a click-to-call widget (`wk_…`), from a page of an origin that the widget allows.',
  },
};

/** Headers of signed-in users on routes that API keys may call, too. */
export const CALLER_PARAMETERS: Readonly<Record<string, Node>> = {
  Project: {
    name: PROJECT_HEADER,
    in: 'header',
    required: false,
    description:
      'Signed-in users only: the project that the request is about. Required for users of several projects; an API key names its own.',
    schema: { type: 'string', format: 'uuid' },
  },
  Mode: {
    name: MODE_HEADER,
    in: 'header',
    required: false,
    description:
      'Signed-in users only: live resources, or those of the sandbox. By default `live` in a production organization, otherwise `sandbox`.',
    schema: { type: 'string', enum: ['live', 'sandbox'] },
  },
};

/** The schemes of which a request needs one. */
export function securityOf({ keyKind, scope, permission }: Route): Node[] {
  const permissions = permission === null ? [] : [permission];
  switch (keyKind) {
    case 'any':
    case 'live':
      return [{ apiKey: scope === null ? [] : [scope] }, { accessToken: permissions }];
    case 'user':
      return [{ accessToken: permissions }];
    case 'administrator':
      return [{ administratorToken: [] }];
    case 'scim':
      return [{ scimToken: [] }];
    case 'widget':
      return [{ widgetKey: [] }];
    case 'none':
      return [];
  }
}

/** References to the headers that the route takes from signed-in users. */
export function callerParametersOf(route: Route): Node[] {
  if (!takesApiKey(route)) return [];
  return Object.keys(CALLER_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
