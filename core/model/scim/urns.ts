/** Names of schemas and messages of SCIM 2.0 (RFC 7643 §10, RFC 7644 §8). */
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
export const RESOURCE_TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
export const PROVIDER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
export const LIST_MESSAGE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const PATCH_MESSAGE = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const ERROR_MESSAGE = 'urn:ietf:params:scim:api:messages:2.0:Error';
