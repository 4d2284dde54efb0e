import { z } from 'zod';
import type { CallerListOwner } from '../../../core/data/repositories/numbers/caller-list.js';
import type { AgentService } from '../../../core/services/agents/agents.js';
import type { ManageAllowedCallers, ManageBlockedCallers } from '../../../core/services/blocked-callers/manage.js';
import { assertVisible } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import {
  allowedCaller,
  blockedCaller,
  newCallerEntry,
  presentAllowedCaller,
  presentBlockedCaller,
} from '../../http/schema/caller-entry.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface AgentCallerRoutesServices {
  readonly agents: Pick<AgentService, 'get'>;
  readonly blockedCallers: ManageBlockedCallers;
  readonly allowedCallers: ManageAllowedCallers;
}

/** Any text: an unknown agent answers 404. */
const agent = z.string();
const params = z.strictObject({ agent });
const entryParams = z.strictObject({ agent, id: idParam('NOT_FOUND') });

const reading = { tag: 'Agents', scope: 'queues:read', keyKind: 'live', ownRows: true, method: 'GET' } as const;
const writing = { ...reading, scope: 'queues:write' } as const;
const ORDER = 'Newest first.';

/** Callers who may not ring the phone of an agent, and those who always may. */
export function agentCallerRoutes(services: AgentCallerRoutesServices): Route[] {
  const { agents } = services;
  /** @throws HatifError NOT_FOUND for an agent that does not exist, or that the caller may not see */
  const ownerOf = async (caller: RouteContext<'live'>['caller'], extension: string): Promise<CallerListOwner> => {
    assertVisible(caller, extension);
    const found = await agents.get(caller.projectId, extension);
    return { projectId: caller.projectId, sandbox: false, agent: found.agent };
  };
  return [...blockedRoutes(services, ownerOf), ...allowedRoutes(services, ownerOf)];
}

type OwnerOf = (caller: RouteContext<'live'>['caller'], extension: string) => Promise<CallerListOwner>;

function blockedRoutes({ blockedCallers }: AgentCallerRoutesServices, ownerOf: OwnerOf): Route[] {
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/agents/:agent/blocked-callers',
      operationId: 'blockCallerForAgent',
      summary: 'Block a caller for one agent',
      summaryAr: 'حظر متصل لدى موظف واحد',
      description:
        'Direct calls of the caller no longer ring the agent: calls to the number of the agent are refused before they begin, and call flows and forwards that ring the agent continue as for a phone that rejects. Calls that a queue offers are not concerned. If the caller is blocked already, the answer is 200 with the first entry.',
      params,
      body: newCallerEntry,
      auditFields: ['kind', 'number'],
      responses: {
        201: { schema: blockedCaller, description: 'The new entry' },
        200: { schema: blockedCaller, description: 'The entry that the list has already' },
      },
      errors: ['NOT_FOUND', 'INVALID_PHONE_NUMBER', 'BLOCKED_CALLER_LIMIT_EXCEEDED'],
      handler: async ({ caller, params: { agent: extension }, body }) => {
        const { row, isNew } = await blockedCallers.add(await ownerOf(caller, extension), body.entry, body.note);
        const shown = presentBlockedCaller(row);
        return isNew ? { status: 201, body: shown } : { status: 200, body: shown };
      },
    }),
    route({
      ...reading,
      path: '/v1/agents/:agent/blocked-callers',
      operationId: 'listBlockedCallersOfAgent',
      summary: 'List the callers that an agent blocks',
      summaryAr: 'عرض المتصلين المحظورين لدى موظف',
      description: ORDER,
      params,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(blockedCaller), description: 'One page of the block list' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { agent: extension }, query: { cursor, limit }, cursors }) => {
        const owner = await ownerOf(caller, extension);
        const rows = await blockedCallers.list(owner, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentBlockedCaller) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/agents/:agent/blocked-callers/:id',
      operationId: 'unblockCallerForAgent',
      summary: 'Unblock a caller for one agent',
      summaryAr: 'إلغاء حظر متصل لدى موظف واحد',
      params: entryParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { agent: extension, id } }) => {
        await blockedCallers.remove(await ownerOf(caller, extension), id);
        return { status: 204 };
      },
    }),
  ];
}

function allowedRoutes({ allowedCallers }: AgentCallerRoutesServices, ownerOf: OwnerOf): Route[] {
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/agents/:agent/allowed-callers',
      operationId: 'allowCallerForAgent',
      summary: 'Never let an agent’s own list block a caller',
      summaryAr: 'استثناء متصل من قائمة الحظر لدى موظف',
      description:
        'The entry wins over the block list of the agent, not over that of the project. If the caller is allowed already, the answer is 200 with the first entry.',
      params,
      body: newCallerEntry,
      auditFields: ['kind', 'number'],
      responses: {
        201: { schema: allowedCaller, description: 'The new entry' },
        200: { schema: allowedCaller, description: 'The entry that the list has already' },
      },
      errors: ['NOT_FOUND', 'INVALID_PHONE_NUMBER', 'ALLOWED_CALLER_LIMIT_EXCEEDED'],
      handler: async ({ caller, params: { agent: extension }, body }) => {
        const { row, isNew } = await allowedCallers.add(await ownerOf(caller, extension), body.entry, body.note);
        const shown = presentAllowedCaller(row);
        return isNew ? { status: 201, body: shown } : { status: 200, body: shown };
      },
    }),
    route({
      ...reading,
      path: '/v1/agents/:agent/allowed-callers',
      operationId: 'listAllowedCallersOfAgent',
      summary: 'List the callers that an agent never blocks',
      summaryAr: 'عرض المتصلين المستثنين من الحظر لدى موظف',
      description: ORDER,
      params,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(allowedCaller), description: 'One page of the allow list' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { agent: extension }, query: { cursor, limit }, cursors }) => {
        const owner = await ownerOf(caller, extension);
        const rows = await allowedCallers.list(owner, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentAllowedCaller) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/agents/:agent/allowed-callers/:id',
      operationId: 'removeAllowedCallerOfAgent',
      summary: 'Remove a caller from an agent’s allow list',
      summaryAr: 'إلغاء استثناء متصل من الحظر لدى موظف',
      params: entryParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { agent: extension, id } }) => {
        await allowedCallers.remove(await ownerOf(caller, extension), id);
        return { status: 204 };
      },
    }),
  ];
}
