import { z } from 'zod';
import {
  BLOCKED_CALLER_ANSWERS,
  DEFAULT_BLOCKED_CALLER_ANSWER,
  MAX_BLOCKED_CALLERS,
} from '../../../core/model/number/blocked-caller.js';
import type { BlockedCallerAnswers } from '../../../core/services/blocked-callers/answers.js';
import type { ManageAllowedCallers, ManageBlockedCallers } from '../../../core/services/blocked-callers/manage.js';
import { kindOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import {
  allowedCaller,
  blockedCaller,
  newCallerEntry,
  presentAllowedCaller,
  presentBlockedCaller,
} from '../../http/schema/caller-entry.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface BlockedCallerRoutesServices {
  readonly blockedCallers: ManageBlockedCallers;
  readonly allowedCallers: ManageAllowedCallers;
  readonly blockedCallerAnswers: BlockedCallerAnswers;
}

const params = z.strictObject({ id: idParam('NOT_FOUND') });
const reading = { tag: 'Numbers', scope: 'numbers:read', keyKind: 'any', method: 'GET' } as const;
const writing = { ...reading, scope: 'numbers:write' } as const;
const ENTRIES = `A list has at most ${MAX_BLOCKED_CALLERS} entries. A sandbox key has its own list, for simulated callers.`;

/** Who may not call the numbers of a project, who always may, and what blocked callers get. */
export function blockedCallerRoutes(services: BlockedCallerRoutesServices): Route[] {
  return [...blockedRoutes(services), ...allowedRoutes(services), ...answerRoutes(services)];
}

function blockedRoutes({ blockedCallers }: BlockedCallerRoutesServices): Route[] {
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/blocked-callers',
      operationId: 'blockCaller',
      summary: 'Block a caller',
      summaryAr: 'حظر متصل',
      description: `Calls of the caller to the numbers of the project are refused before they begin: they have no call object, cost nothing and are not recorded. With the answer \`announcement\`, they are calls that are \`missed\`. Emergency numbers are never blocked, and neither are callers on an allow list and calls between the project’s own phones. If the caller is blocked already, the answer is 200 with the first entry. ${ENTRIES}`,
      body: newCallerEntry,
      auditFields: ['kind', 'number'],
      responses: {
        201: { schema: blockedCaller, description: 'The new entry' },
        200: { schema: blockedCaller, description: 'The entry that the list has already' },
      },
      errors: ['INVALID_PHONE_NUMBER', 'BLOCKED_CALLER_LIMIT_EXCEEDED'],
      handler: async ({ caller, body }) => {
        const { row, isNew } = await blockedCallers.add(kindOf({ caller }), body.entry, body.note);
        const shown = presentBlockedCaller(row);
        return isNew ? { status: 201, body: shown } : { status: 200, body: shown };
      },
    }),
    route({
      ...reading,
      path: '/v1/blocked-callers',
      operationId: 'listBlockedCallers',
      summary: 'List blocked callers',
      summaryAr: 'عرض المتصلين المحظورين',
      description:
        'The block list of the project, newest first. The lists of its agents and of the installation are not in it.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(blockedCaller), description: 'One page of the block list' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit }, cursors }) => {
        const rows = await blockedCallers.list(kindOf({ caller }), cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentBlockedCaller) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/blocked-callers/:id',
      operationId: 'unblockCaller',
      summary: 'Unblock a caller',
      summaryAr: 'إلغاء حظر متصل',
      description: 'The next call of the caller is taken again, unless another entry blocks it.',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        await blockedCallers.remove(kindOf({ caller }), id);
        return { status: 204 };
      },
    }),
  ];
}

function allowedRoutes({ allowedCallers }: BlockedCallerRoutesServices): Route[] {
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/allowed-callers',
      operationId: 'allowCaller',
      summary: 'Never block a caller',
      summaryAr: 'استثناء متصل من الحظر',
      description: `The entry wins over every block list: that of the project, those of its agents and that of the installation. It lifts no other limit. If the caller is allowed already, the answer is 200 with the first entry. ${ENTRIES}`,
      body: newCallerEntry,
      auditFields: ['kind', 'number'],
      responses: {
        201: { schema: allowedCaller, description: 'The new entry' },
        200: { schema: allowedCaller, description: 'The entry that the list has already' },
      },
      errors: ['INVALID_PHONE_NUMBER', 'ALLOWED_CALLER_LIMIT_EXCEEDED'],
      handler: async ({ caller, body }) => {
        const { row, isNew } = await allowedCallers.add(kindOf({ caller }), body.entry, body.note);
        const shown = presentAllowedCaller(row);
        return isNew ? { status: 201, body: shown } : { status: 200, body: shown };
      },
    }),
    route({
      ...reading,
      path: '/v1/allowed-callers',
      operationId: 'listAllowedCallers',
      summary: 'List callers who are never blocked',
      summaryAr: 'عرض المتصلين المستثنين من الحظر',
      description: 'The allow list of the project, newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(allowedCaller), description: 'One page of the allow list' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit }, cursors }) => {
        const rows = await allowedCallers.list(kindOf({ caller }), cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentAllowedCaller) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/allowed-callers/:id',
      operationId: 'removeAllowedCaller',
      summary: 'Remove a caller from the allow list',
      summaryAr: 'إلغاء استثناء متصل من الحظر',
      description: 'Block lists apply to the caller again, from the next call on.',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        await allowedCallers.remove(kindOf({ caller }), id);
        return { status: 204 };
      },
    }),
  ];
}

const answer = z.enum(BLOCKED_CALLER_ANSWERS).nullable();
const answerObject = z
  .strictObject({
    answer: answer.describe('Null: as the operator sets it for all projects'),
    effective: z.enum(BLOCKED_CALLER_ANSWERS).describe('What blocked callers get now'),
  })
  .meta({ id: 'BlockedCallerAnswer' });

/** The sandbox has no such setting: a simulated call from a blocked caller answers its request with an error. */
function answerRoutes({ blockedCallerAnswers }: BlockedCallerRoutesServices): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/blocked-caller-answer',
      operationId: 'getBlockedCallerAnswer',
      summary: 'Read what blocked callers get',
      summaryAr: 'قراءة الرد على المتصلين المحظورين',
      responses: { 200: { schema: answerObject, description: 'The setting, and what applies' } },
      errors: [],
      handler: async ({ caller }) => {
        const { own, effective } = await blockedCallerAnswers.read(caller.projectId);
        return { status: 200, body: { answer: own, effective } };
      },
    }),
    route({
      ...writing,
      keyKind: 'live',
      method: 'PUT',
      path: '/v1/blocked-caller-answer',
      operationId: 'setBlockedCallerAnswer',
      summary: 'Set what blocked callers get',
      summaryAr: 'تحديد الرد على المتصلين المحظورين',
      description: `\`declined\` is SIP 603, \`unwanted\` SIP 607 (RFC 8197), which tells carriers that the call is a nuisance. \`announcement\` tells the caller, before any answer and at no cost, that the call is not taken, and then rejects it. It applies to calls that are refused before they begin; a call flow that rings an agent who blocks the caller continues as for a phone that rejects. The default is \`${DEFAULT_BLOCKED_CALLER_ANSWER}\`.`,
      body: z.strictObject({ answer: answer.describe('Null: as the operator sets it for all projects') }),
      auditFields: ['answer'],
      responses: { 200: { schema: answerObject, description: 'The setting as it is now' } },
      errors: [],
      handler: async ({ caller, body }) => {
        const { own, effective } = await blockedCallerAnswers.set(caller.projectId, body.answer);
        return { status: 200, body: { answer: own, effective } };
      },
    }),
  ];
}
